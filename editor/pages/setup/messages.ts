// Defines the messages of the page that sets a password.
export const messages = {
  title: 'Create the administrator account',
  description: 'Choose the email and password that you will sign in with.',
  inviteTitle: 'Welcome',
  inviteDescription: 'You were invited. Choose a password to sign in.',
  resetTitle: 'Choose a new password',
  resetDescription: 'You will be signed in here and signed out everywhere else.',
  email: 'Email',
  name: 'Name',
  password: 'Password',
  passwordHint: 'At least 10 characters.',
  revokeKeys: 'Also revoke API keys and disconnect apps',
  submit: 'Create account',
  inviteSubmit: 'Set password and sign in',
  incompleteTitle: 'Incomplete link',
  incomplete: 'Part of the link is missing. Copy the whole link, including everything after the #.',
  expiredTitle: 'This link has expired',
  expired:
    'This link has expired or was already used. Ask an administrator for a new one. Administrators create one with “graphwright users setup-link” (first account) or “graphwright users password EMAIL” (other accounts).',
  signIn: 'Go to sign in',
} as const;
