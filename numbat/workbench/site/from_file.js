// Tells who opens a page of a folder from the disk that browsers load its scripts from a web server only.
if (location.protocol === "file:") {
  addEventListener("DOMContentLoaded", () => {
    const place = document.getElementById("wrong");
    place.textContent = "This page has to come from a web server: put its folder there, or write one file that opens from the disk by numbat site --single.";
    place.hidden = false;
  });
}
