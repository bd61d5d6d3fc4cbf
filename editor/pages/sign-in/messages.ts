// The texts of sign-in at an identity provider.
export const texts = {
  openid: (host: string): string => `Continue with ${host}`,
  or: 'or',
  needsSetup:
    'Nobody can sign in yet. Open the link that the service printed at its first start; graphwright users setup-link prints a new one.',
  /** Why a sign-in there came to nothing, by what the address says. */
  refused: {
    expired:
      'This sign-in was not begun in this browser, or was begun more than 10 minutes ago. Try it again.',
    refused: 'The identity provider did not let you in, or its answer did not hold. Try it again.',
    unverified: 'The identity provider has not verified your email. Verify it there, then try again.',
    unknown: 'There is no account for your email here. Ask whoever runs this service for an invitation.',
    linked: 'The account with your email belongs to another identity. Sign in with that one, or by password.',
    disabled: 'Your account is disabled. Ask whoever runs this service.',
    unreachable: 'The identity provider does not answer. Try it again in a moment.',
  },
} as const;
