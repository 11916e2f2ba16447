// Begins the workbench with its back end.

import { HttpBackend } from "./backend.js";
import { Workbench } from "./workbench.js";

const workbench = new Workbench(new HttpBackend());
workbench.safely(() => workbench.start());
