// Defines the messages of sign-in with an identity provider.
export const messages = {
  openid: (host: string): string => `Continue with ${host}`,
  or: 'or',
  needsSetup:
    'Nobody can sign in yet. Open the link that the service printed when it first started, or run “graphwright users setup-link” for a new one.',
  /** Why the sign-in failed, by the code in the query string. */
  refused: {
    expired: 'This sign-in expired or was started in another browser. Try again.',
    refused: 'The identity provider refused the sign-in. Try again.',
    unverified: 'Your email is not verified with the identity provider. Verify it there, then try again.',
    unknown: 'No account uses your email. Ask an administrator for an invitation.',
    linked:
      'The account with your email is linked to another identity. Sign in with that identity or with your password.',
    other: 'You signed in to another account. Sign in to the account that you use here.',
    disabled: 'Your account is disabled. Contact an administrator.',
    unreachable: 'The identity provider is not responding. Try again in a few seconds.',
  },
} as const;
