// Unpacks the scripts of a one-file page and starts main.js; `numbatScripts` has the addresses of scripts by name.
(async () => {
  const packed = Uint8Array.from(atob(document.getElementById("scripts").textContent), (sign) => sign.charCodeAt(0));
  const scripts = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  const addresses = {};
  for (const [name, text] of scripts) {
    const code = text.replace(/\bfrom "\.\/([\w.]+)"/g, (_, other) => `from "${addresses[other]}"`);
    addresses[name] = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  }
  globalThis.numbatScripts = addresses;
  await import(addresses["main.js"]);
})().catch((error) => {
  const place = document.getElementById("wrong");
  place.textContent = `This page does not start: ${error.message}. Open it in a Firefox or Chromium of this year.`;
  place.hidden = false;
});
