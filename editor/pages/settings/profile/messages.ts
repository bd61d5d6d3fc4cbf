// The texts of the profile.
export const texts = {
  lead: 'Who you are to this service. Whoever administers it can change your plan.',
  rename: 'Change your name',
  renamed: 'Your name is changed.',
  id: 'User id',
  plan: 'Plan',
  rights: 'Rights',
  admin: 'Administrator',
  author: 'Author',
  member: 'User',
  workspace: 'Active workspace',
  personal: 'Personal workspace id',
  copyId: 'Copy the workspace id',
  ends: 'This session ends',
} as const;
