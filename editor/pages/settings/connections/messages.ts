// The texts of the list of programs that were let in.
export const texts = {
  lead: 'Agents and other programs that you let in. Each works with your account, within its rights, until you end it.',
  emptyTitle: 'No program is connected',
  empty:
    'Give an agent that speaks MCP the address of this service with /mcp after it. It then asks you here whether it may come in.',
  program: 'Program',
  host: 'Answered at',
  rights: 'Rights',
  since: 'Let in',
  lastUsed: 'Last used',
  end: 'End',
  endOf: (name: string): string => `End the connection of ${name}`,
  endTitle: (name: string): string => `End the connection of ${name}?`,
  endText:
    'The program can do nothing with your account any more, within five seconds. It may ask you again.',
  ended: (name: string): string => `${name} is connected no more.`,
} as const;
