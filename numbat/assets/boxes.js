// Above a box that scrolls sideways a line says so, as long as it does.
const hint = box => box.previousSibling.classList.toggle("on", box.scrollWidth > box.clientWidth + 1);
const resized = new ResizeObserver(entries => entries.forEach(entry => hint(entry.target)));
function hinted(box) {
  hint(box);
  resized.observe(box);
}
