// The groups of operations, in the order in which they are shown.

/** The document's `tags`. */
export const TAGS = [
  {
    name: 'Workflows',
    description: 'Graphs of nodes and edges: stored, linted, laid out, versioned, published.',
  },
  { name: 'Versions', description: 'What a workflow was before each change of its graph.' },
  {
    name: 'Catalog',
    description: 'The node types that graphs are made of, with their ports, fields and prices.',
  },
  { name: 'Runs', description: 'Starting runs of a workflow, and what they would cost.' },
  {
    name: 'Executions',
    description: 'Runs under way and ended: their records, events, and how to stop them.',
  },
  { name: 'Webhooks', description: 'The signed message at the end of a run, and its deliveries.' },
  { name: 'Hooks', description: 'Addresses that providers call when their work has ended.' },
  { name: 'Media', description: 'Files that workflows read and write.' },
  { name: 'Video renderer', description: 'Videos made from templates and scene graphs.' },
  { name: 'Templates', description: 'Published workflows, for everybody.' },
  { name: 'Folders', description: 'Where workflows are kept.' },
  { name: 'Sharing', description: 'Who else may read and change a workflow.' },
  { name: 'Sign-in', description: 'People: passwords, links that set one, and sessions.' },
  { name: 'Account', description: 'Who you are, and your active workspace.' },
  { name: 'Keys', description: 'API keys and their scopes.' },
  { name: 'Connections', description: 'Programs that were let in by OAuth.' },
  { name: 'Teams', description: 'Workspaces that several users share.' },
  { name: 'Credits', description: 'What runs are paid with.' },
  { name: 'Content', description: 'Publishing pages, with the content secret.' },
  { name: 'Pages', description: 'What people read in a browser: HTML, feeds and drawings.' },
  { name: 'Operator', description: 'Users and credits of the instance. Needs `instance:admin`.' },
  { name: 'Operation', description: 'Health and metrics, for whoever runs the service.' },
];
