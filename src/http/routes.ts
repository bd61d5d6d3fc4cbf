// Lists all routes, one file per resource.
import type { HttpDeps, Server } from './deps.ts';
import type { Metrics } from './observation/metrics.ts';
import { registerAccount } from './routes/account.ts';
import { registerAdmin } from './routes/admin.ts';
import { registerAppForm } from './routes/app-form.ts';
import { registerApprovals } from './routes/approvals.ts';
import { registerApps } from './routes/apps.ts';
import { registerAudit } from './routes/audit.ts';
import { registerAuth } from './routes/auth.ts';
import { registerBatches } from './routes/batches.ts';
import { registerCatalog } from './routes/catalog.ts';
import { registerCdn } from './routes/cdn.ts';
import { registerComponents } from './routes/components.ts';
import { registerContent } from './routes/content.ts';
import { registerCredentials } from './routes/credentials.ts';
import { registerCredits } from './routes/credits.ts';
import { registerDeliveries } from './routes/deliveries.ts';
import { registerExecutions } from './routes/executions.ts';
import { registerFolders } from './routes/folders.ts';
import { registerGroups } from './routes/groups.ts';
import { registerHealth } from './routes/health.ts';
import { registerKeys } from './routes/keys.ts';
import { registerMails } from './routes/mails.ts';
import { registerMedia } from './routes/media.ts';
import { registerModels } from './routes/models.ts';
import { registerNotices } from './routes/notices.ts';
import { registerConnections } from './routes/oauth/connections.ts';
import { registerOpenId } from './routes/openid.ts';
import { registerPages } from './routes/pages.ts';
import { registerPermissions } from './routes/permissions.ts';
import { registerProviderCallbacks } from './routes/provider-callbacks.ts';
import { registerRenderer } from './routes/renderer.ts';
import { registerRuns } from './routes/runs.ts';
import { registerSchedules } from './routes/schedules.ts';
import { registerScim } from './routes/scim.ts';
import { registerSdk } from './routes/sdk.ts';
import { registerSecondFactors } from './routes/second-factors.ts';
import { registerStart } from './routes/start.ts';
import { registerTables } from './routes/tables.ts';
import { registerInvitations } from './routes/teams/invitations.ts';
import { registerTeams } from './routes/teams/teams.ts';
import { registerTemplates } from './routes/templates.ts';
import { registerTriggers } from './routes/triggers.ts';
import { registerUploads } from './routes/uploads.ts';
import { registerWebApp } from './routes/web-app.ts';
import { registerWorkflowActions } from './routes/workflow-actions.ts';
import { registerWorkflowHistory } from './routes/workflow-history.ts';
import { registerWorkflowPages } from './routes/workflow-pages.ts';
import { registerWorkflows } from './routes/workflows.ts';

type Register = (server: Server, deps: HttpDeps, metrics: Metrics) => void;

/** The routes of a process that only executes jobs (ROLE=worker). */
export const WORKER_ROUTES: readonly Register[] = [registerHealth];

export const ROUTES: readonly Register[] = [
  registerHealth,
  registerCatalog,
  registerWorkflows,
  registerWorkflowActions,
  registerWorkflowHistory,
  registerComponents,
  registerTemplates,
  registerRuns,
  registerBatches,
  registerTables,
  registerSchedules,
  registerApps,
  registerTriggers,
  registerAppForm,
  registerExecutions,
  registerApprovals,
  registerDeliveries,
  registerProviderCallbacks,
  registerPermissions,
  registerFolders,
  registerKeys,
  registerConnections,
  registerAuth,
  registerSecondFactors,
  registerOpenId,
  registerAccount,
  registerMails,
  registerNotices,
  registerTeams,
  registerInvitations,
  registerAdmin,
  registerAudit,
  registerGroups,
  registerModels,
  registerCredentials,
  registerCredits,
  registerCdn,
  registerMedia,
  registerUploads,
  registerRenderer,
  registerContent,
  registerPages,
  registerWorkflowPages,
  registerStart,
  registerWebApp,
  registerSdk,
  registerScim,
];
