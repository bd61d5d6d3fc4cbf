// The texts of the list of sessions.
export const texts = {
  lead: 'Where you are signed in. End what you do not know, then change your password.',
  label: 'Your sessions',
  browser: 'Browser',
  unknown: 'Unknown program',
  on: (browser: string, system: string): string => `${browser} on ${system}`,
  address: 'Signed in from',
  lastSeen: 'Last seen',
  expires: 'Ends',
  current: 'This one',
  end: 'End',
  endOf: (browser: string): string => `End the session of ${browser}`,
  endTitle: (browser: string): string => `End the session of ${browser}?`,
  endText: 'Whoever uses it has to sign in again. It ends within five seconds.',
  ended: 'The session has ended.',
} as const;
