// Defines the texts of the share and export dialogs.
import { formatNumber } from '../../../lib/format.ts';

export const dialogMessages = {
  share: {
    title: 'Share',
    link: 'Link access',
    links: {
      PRIVATE: 'Only people invited',
      VIEW: 'Anyone with the link can view',
      DUPLICATE: 'Anyone with the link can view and duplicate',
    },
    copyLink: 'Copy link',
    discardTitle: 'Discard your changes?',
    discardText: 'Your changes to the app are not saved.',
    discard: 'Discard',
    tabs: { people: 'People', publish: 'Publish', app: 'App' },
    access: 'Who has access',
    noPeople: 'Not shared with anyone yet.',
    notOpened: 'not opened yet',
    email: 'Email',
    inviteHint:
      'People with an account get a notice. Anyone else needs an account with this email first: choose Send link next to their name.',
    sendLink: 'Send link',
    sendLinkTo: (person: string): string => `Send link to ${person}`,
    role: 'Role',
    roleOf: (person: string): string => `Role of ${person}`,
    roles: { VIEW: 'Viewer', EDIT: 'Editor', OWNER: 'Owner' } as Readonly<Record<string, string>>,
    invite: 'Invite',
    remove: (person: string): string => `Remove ${person}`,
    publishText:
      'Anyone can view the published page. It shows the workflow as it was when you last published it.',
    published: 'Published',
    publishNow: 'Publish',
    publishAgain: 'Update published version',
    unpublish: 'Unpublish',
    ownersOnly: 'Only owners of the workflow can share it.',
    slug: 'URL',
    slugHint: (host: string): string =>
      `The last part of the URL, after ${host}/p/. Lowercase letters, digits and hyphens. Leave empty to use the name.`,
    pageTitle: 'Title',
    description: 'Description',
    inputs: 'Inputs shown on the page',
    options: {
      allowDuplicate: 'Allow duplication',
      showResults: 'Show results of the latest run',
      isTemplate: 'Publish as a template',
    },
    copyPage: 'Copy page link',
  },
  invitation: {
    title: (email: string): string => `Invite ${email}`,
    noAccount:
      'This person has no account yet. Create an invitation link: it creates the account and then opens this workflow.',
    invitedBefore: (name: string): string =>
      `${name} was invited but has not chosen a password. A new link replaces the earlier one.`,
    name: 'Name',
    defaults: (credits: number): string =>
      `The account gets the default plan and ${credits === 1 ? '1 credit' : `${formatNumber(credits)} credits`}. Change this in Settings → Users.`,
    create: 'Create invitation link',
    link: 'Link',
    accountLink: (email: string): string =>
      `Send this link to ${email} privately. It works once, for 72 hours: they choose a password and see this workflow.`,
    mailedLink: (email: string): string =>
      `The link was mailed to ${email}. If the mail does not arrive, send this link privately. It works once, for 72 hours: they choose a password and see this workflow.`,
    hasAccount: (name: string): string => `${name} has an account. Send the link of the workflow.`,
    askAdmin:
      'Send the link of the workflow. It opens once they have an account with this email. If they have none, ask an administrator to invite them.',
  },
  exports: {
    title: 'Export',
    json: 'Download as JSON',
    png: 'Download as PNG with the workflow',
    svg: 'Download as SVG',
    call: 'Call from code',
    callText: 'Run this workflow from code. Create an API key in Settings.',
    languages: { curl: 'curl', js: 'JavaScript', python: 'Python' },
    copy: 'Copy code',
  },
};
