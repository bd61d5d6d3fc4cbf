// Defines the messages of the password settings.
export const messages = {
  description: 'Changing your password signs you out everywhere else.',
  revokeKeys: 'Also revoke API keys and disconnect apps',
  revokeKeysHint: 'Recommended if someone else may have had access to your account.',
  current: 'Current password',
  next: 'New password',
  hint: 'At least 10 characters.',
  submit: 'Change password',
  changed: 'Your password was changed and your other sessions were signed out.',
} as const;
