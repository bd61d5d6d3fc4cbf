// Defines the messages of forms that prove a second factor.
export const messages = {
  submit: 'Verify',
  startAgain: 'Start again',
  passkeyText: 'Confirm that it is you with the passkey on this device, a phone, or a security key.',
  passkeySubmit: 'Use passkey',
  fields: { code: 'Code', recoveryCode: 'Recovery code' },
  hints: {
    code: 'The six digits that your authenticator app shows.',
    recoveryCode: 'One of the codes that you saved when you set up the second factor. Each works once.',
  },
  use: {
    passkey: 'Use a passkey instead',
    totp: 'Use an authenticator app instead',
    recovery_code: 'Use a recovery code instead',
  },
  passkeyErrors: {
    canceled: 'The passkey was not used. Try again, or choose another method.',
    registered: 'This device already has a passkey for your account.',
    failed: 'The browser could not use the passkey. Try again, or choose another method.',
  },
} as const;
