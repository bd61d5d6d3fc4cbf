// Defines the messages of the list of connected apps.
export const messages = {
  description:
    'Agents and other apps that can use your account. Each one keeps its permissions until you disconnect it.',
  emptyTitle: 'No connected apps',
  empty:
    'To connect an MCP agent, give it the address of this service followed by /mcp. It then asks you for access.',
  program: 'App',
  host: 'Redirects to',
  permissions: 'Permissions',
  since: 'Connected',
  lastUsed: 'Last used',
  disconnect: 'Disconnect',
  disconnectApp: (name: string): string => `Disconnect ${name}`,
  disconnectTitle: (name: string): string => `Disconnect ${name}?`,
  disconnectText: 'The app loses access to your account within five seconds. It can ask for access again.',
  disconnected: (name: string): string => `${name} was disconnected.`,
} as const;
