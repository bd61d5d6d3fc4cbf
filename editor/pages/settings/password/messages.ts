// The texts of the part that changes the password.
export const texts = {
  lead: 'When it changes, all your other sessions end. API keys and connected programs go on.',
  current: 'Current password',
  next: 'New password',
  hint: '10 characters or more.',
  submit: 'Change the password',
  changed: 'Your password is changed. Your other sessions have ended.',
} as const;
