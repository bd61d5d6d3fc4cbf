// Defines the messages of the list of sessions.
export const messages = {
  description:
    'The places where you are signed in. Sign out any you do not recognize, then change your password.',
  label: 'Your sessions',
  browser: 'Browser',
  unknown: 'Unknown browser',
  on: (browser: string, system: string): string => `${browser} on ${system}`,
  address: 'Signed in from',
  lastSeen: 'Last active',
  expires: 'Expires',
  current: 'Current',
  signOut: 'Sign out',
  signOutOf: (browser: string): string => `Sign out of ${browser}`,
  signOutTitle: (browser: string): string => `Sign out of ${browser}?`,
  signOutText: 'The session ends within five seconds. Using it again requires signing in.',
  signedOut: 'The session was signed out.',
} as const;
