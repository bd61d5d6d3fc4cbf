// All routes, one file a noun.
import type { Deps } from '../services/deps.ts';
import type { App } from './app.ts';
import { registerCatalog } from './routes/catalog.ts';
import { registerCdn } from './routes/cdn.ts';
import { registerExecutions } from './routes/executions.ts';
import { registerHealth } from './routes/health.ts';
import { registerKeys } from './routes/keys.ts';
import { registerRuns } from './routes/runs.ts';
import { registerWorkflows } from './routes/workflows.ts';

export const ROUTES: readonly ((app: App, deps: Deps) => void)[] = [
  registerHealth,
  registerCatalog,
  registerWorkflows,
  registerRuns,
  registerExecutions,
  registerKeys,
  registerCdn,
];
