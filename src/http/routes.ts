// All routes, one file a noun.
import type { Deps } from '../services/deps.ts';
import type { App } from './app.ts';
import { registerAccount } from './routes/account.ts';
import { registerAdmin } from './routes/admin.ts';
import { registerCatalog } from './routes/catalog.ts';
import { registerCdn } from './routes/cdn.ts';
import { registerCredits } from './routes/credits.ts';
import { registerExecutions } from './routes/executions.ts';
import { registerFolders } from './routes/folders.ts';
import { registerHealth } from './routes/health.ts';
import { registerKeys } from './routes/keys.ts';
import { registerPermissions } from './routes/permissions.ts';
import { registerRuns } from './routes/runs.ts';
import { registerTeams } from './routes/teams.ts';
import { registerTemplates } from './routes/templates.ts';
import { registerWorkflowActions } from './routes/workflow-actions.ts';
import { registerWorkflowHistory } from './routes/workflow-history.ts';
import { registerWorkflows } from './routes/workflows.ts';

export const ROUTES: readonly ((app: App, deps: Deps) => void)[] = [
  registerHealth,
  registerCatalog,
  registerWorkflows,
  registerWorkflowActions,
  registerWorkflowHistory,
  registerTemplates,
  registerRuns,
  registerExecutions,
  registerPermissions,
  registerFolders,
  registerKeys,
  registerAccount,
  registerTeams,
  registerAdmin,
  registerCredits,
  registerCdn,
];
