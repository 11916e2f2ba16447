// Shows a message when a page of a folder is opened from the disk, because browsers load its scripts only from a web server.
if (location.protocol === "file:") {
  addEventListener("DOMContentLoaded", () => {
    const place = document.getElementById("wrong");
    place.textContent = "This page needs a web server: put its folder on one, or use numbat site --single to write one file that opens from the disk.";
    place.hidden = false;
  });
}
