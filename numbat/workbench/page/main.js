// Starts the workbench with its back end.

import { HttpBackend } from "./backend.js";
import { PyodideBackend } from "./pyodide_backend.js";
import { wholePage } from "./session_page.js";
import { Workbench } from "./workbench.js";

const isOneFile = "single" in document.documentElement.dataset;
const isAlone = document.documentElement.dataset.backend === "pyodide";
const workbench = new Workbench(isAlone ? new PyodideBackend() : new HttpBackend(), isOneFile ? wholePage() : null);
workbench.safely(() => workbench.start());
