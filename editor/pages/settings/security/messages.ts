// Defines the messages of the security settings.
export const messages = {
  description:
    'With a second factor, a stolen password is not enough to sign in. Add a passkey or an authenticator app, and keep recovery codes for the day you lose it.',
  required: (by: string): string =>
    `A second factor is required by ${by}. Add one to continue. Your API keys keep working.`,
  app: 'Authenticator app',
  appOn: 'An authenticator app is set up.',
  appOff: 'Google Authenticator, 1Password, Aegis or any other app that shows six-digit codes.',
  setUpApp: 'Set up',
  replaceApp: 'Replace',
  remove: 'Remove',
  scan: 'Scan the picture with the app, or type the key. Then enter the code that the app shows.',
  qr: 'QR code of the key',
  key: 'Key',
  code: 'Code',
  confirm: 'Turn on',
  appDone: 'Your authenticator app is set up.',
  removeAppTitle: 'Remove the authenticator app?',
  removeAppText: 'You then sign in without its codes. Recovery codes end with your last second factor.',
  appRemoved: 'The authenticator app was removed.',
  passkeys: 'Passkeys',
  passkeysText: 'Sign in with a fingerprint, your face, a PIN or a security key, without a password.',
  passkeysUnavailable:
    'Browsers offer passkeys only on a domain with HTTPS. Ask the operator to set BASE_URL to one, or use an authenticator app.',
  addPasskey: 'Add passkey',
  addPasskeyTitle: 'Add a passkey',
  passkeyName: 'Name',
  passkeyNameHint: 'For example the device, such as “Work laptop”.',
  passkeyAdded: 'The passkey was added.',
  created: 'Added',
  lastUsed: 'Last used',
  never: 'Never',
  removePasskey: (name: string): string => `Remove ${name}`,
  removePasskeyTitle: (name: string): string => `Remove ${name}?`,
  removePasskeyText: 'You can no longer sign in with it. Also delete it on the device.',
  passkeyRemoved: 'The passkey was removed.',
  codes: 'Recovery codes',
  codesLeft: (count: number): string =>
    count === 0
      ? 'You have none. Without them, only an administrator can help you if you lose your second factor.'
      : `${count} of your recovery codes ${count === 1 ? 'is' : 'are'} left. Each works once.`,
  createCodes: 'Create recovery codes',
  newCodes: 'Create new ones',
  newCodesTitle: 'Replace the recovery codes?',
  newCodesText: 'The codes that you have saved stop working.',
  saveCodes: 'Save your recovery codes',
  saveCodesText:
    'Each code replaces your second factor once. Keep them in a safe place, not on the device with your second factor. They are shown only now.',
  copyCodes: 'Copy',
  downloadCodes: 'Download',
  saved: 'I have saved them',
} as const;
