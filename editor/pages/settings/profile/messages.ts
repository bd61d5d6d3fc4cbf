// Defines the messages of the profile settings.
export const messages = {
  description: 'Your account on this service. An administrator can change your plan.',
  rename: 'Change name',
  renamed: 'Your name was changed.',
  id: 'User ID',
  plan: 'Plan',
  rights: 'Role',
  admin: 'Administrator',
  author: 'Author',
  member: 'User',
  workspace: 'Active workspace',
  personal: 'Personal workspace ID',
  copyId: 'Copy workspace ID',
  ends: 'Session expires',
} as const;
