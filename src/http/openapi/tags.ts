// Lists the groups of operations in the order of the reference.

/** The document's `tags`. */
export const TAGS = [
  {
    name: 'Workflows',
    description: 'Store, lint, lay out, share and publish graphs of nodes and edges.',
  },
  { name: 'Versions', description: 'Read and restore earlier versions of a workflow’s graph.' },
  { name: 'Components', description: 'Call a workflow from other workflows as one node.' },
  {
    name: 'Catalog',
    description: 'List the available node types with their ports, fields and prices.',
  },
  { name: 'Runs', description: 'Start runs of a workflow and estimate their cost.' },
  {
    name: 'Executions',
    description: 'Read, follow and cancel runs.',
  },
  { name: 'Approvals', description: 'List what waits for your decision, and decide.' },
  { name: 'Batches', description: 'Run a workflow over the rows of a table or a matrix.' },
  {
    name: 'Automations',
    description: 'Run a workflow automatically: on a schedule, or when something happens.',
  },
  { name: 'Apps', description: 'Offer a workflow as a form, and run apps.' },
  { name: 'Webhooks', description: 'Receive a signed event when a run ends, and inspect its deliveries.' },
  {
    name: 'Provider callbacks',
    description: 'Receive notifications from providers that a provider call has ended.',
  },
  {
    name: 'Media',
    description: 'Upload, search, organize and delete the files that workflows read and write.',
  },
  { name: 'Video renderer', description: 'Preview and render videos from templates and scene graphs.' },
  { name: 'Templates', description: 'List, read and copy templates, and read published workflows.' },
  { name: 'Folders', description: 'Organize workflows in folders.' },
  { name: 'Sharing', description: 'Share a workflow with other people.' },
  { name: 'Sign-in', description: 'Sign in and out, set passwords and manage sessions.' },
  { name: 'Account', description: 'Read and change your account and your active workspace.' },
  { name: 'Notices', description: 'Read what happened while you were away.' },
  { name: 'Keys', description: 'Manage API keys and their scopes.' },
  { name: 'Connections', description: 'Manage the applications that you authorized by OAuth.' },
  { name: 'Teams', description: 'Manage teams: workspaces that several users share.' },
  {
    name: 'Credentials',
    description: 'Manage the keys for model providers that the instance and workspaces store.',
  },
  { name: 'Credits', description: 'Read balances, spending and budgets.' },
  { name: 'Content', description: 'Publish content pages with the content secret.' },
  { name: 'Pages', description: 'Pages for browsers: HTML, feeds and drawings.' },
  {
    name: 'Administration',
    description: 'Manage the users, credits and models of the instance. Requires the scope `instance:admin`.',
  },
  { name: 'Audit log', description: 'Read who did what, and when.' },
  { name: 'Health and metrics', description: 'Check the health of the service and collect metrics.' },
];
