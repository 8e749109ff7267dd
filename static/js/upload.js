// A folder may be chosen where this runs: names of files lose their folder on the way, so their paths go along.
document.querySelector("[data-folder]").hidden = false;
document.querySelector("#files").addEventListener("change", (event) => {
  const paths = Array.from(event.target.files, (file) => file.webkitRelativePath || file.name);
  document.querySelector("[name=paths]").value = JSON.stringify(paths);
});
