// Begins the workbench with its back end.

import { HttpBackend } from "./backend.js";
import { wholePage } from "./session_page.js";
import { Workbench } from "./workbench.js";

const isOneFile = "single" in document.documentElement.dataset;
const workbench = new Workbench(new HttpBackend(), isOneFile ? wholePage() : null);
workbench.safely(() => workbench.start());
