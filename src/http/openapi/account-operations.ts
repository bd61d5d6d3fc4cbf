// What the document says of accounts, keys, teams, credits, the operator's endpoints, content, pages and health.
import type { OperationLines } from './operation.ts';

const V1 = '/api/v1';
const OWN = ['forbidden', 'not_found'] as const;

export const ACCOUNT_OPERATIONS: OperationLines = {
  [`GET ${V1}/me`]: ['getMe', 'Your user, active workspace, plan and the scopes of what you showed.'],
  [`PATCH ${V1}/me`]: ['updateMe', 'Your name, as others see it. The email stays.'],
  [`PUT ${V1}/me/workspace`]: [
    'setWorkspace',
    'Where new things go and whose credits pay: a team’s id, or null for your personal workspace.',
    ['not_found'],
  ],
  [`GET ${V1}/keys`]: ['listKeys', 'What is known of your keys; the keys themselves are not stored.'],
  [`POST ${V1}/keys`]: [
    'createKey',
    'No scope that this key lacks. The key is shown this once.',
    ['forbidden'],
  ],
  [`GET ${V1}/keys/{id}`]: ['getKey', 'Name, scopes, and when it was last used.', OWN],
  [`PATCH ${V1}/keys/{id}`]: ['updateKey', 'Changes its name.', OWN],
  [`DELETE ${V1}/keys/{id}`]: ['revokeKey', 'It is refused everywhere within 5 s.', OWN],

  [`GET ${V1}/connections`]: [
    'listConnections',
    'Programs that you let use the service in your name, newest first. Their access tokens open `/mcp` alone.',
  ],
  [`DELETE ${V1}/connections/{id}`]: [
    'endConnection',
    'All its tokens are refused everywhere within 5 s.',
    ['not_found'],
  ],

  [`GET ${V1}/teams`]: ['listTeams', 'Those that you are a member of.'],
  [`POST ${V1}/teams`]: ['createTeam', 'You become its first OWNER.'],
  [`GET ${V1}/teams/{id}`]: ['getTeam', 'One team and your role in it.', OWN],
  [`PATCH ${V1}/teams/{id}`]: ['updateTeam', 'Changes its name. Needs the role OWNER.', OWN],
  [`DELETE ${V1}/teams/{id}`]: [
    'deleteTeam',
    'Only one without workflows. Needs the role OWNER.',
    [...OWN, 'team_not_empty'],
  ],
  [`GET ${V1}/teams/{id}/members`]: ['listMembers', 'Everybody in the team, with their role.', OWN],
  [`POST ${V1}/teams/{id}/members`]: [
    'addMember',
    'Invites a person by `email`, or a member of another team of yours by `userId`: they join when they accept. The answer to an email does not depend on whether somebody has it. Needs the role OWNER.',
    [...OWN, 'conflict'],
  ],
  [`GET ${V1}/teams/{id}/members/{userId}`]: ['getMember', 'One member and the role.', OWN],
  [`PATCH ${V1}/teams/{id}/members/{userId}`]: [
    'updateMember',
    'Changes the role. A team keeps at least one OWNER.',
    [...OWN, 'last_owner'],
  ],
  [`DELETE ${V1}/teams/{id}/members/{userId}`]: [
    'removeMember',
    'Removes somebody, or yourself. A team keeps at least one OWNER.',
    [...OWN, 'last_owner'],
  ],
  [`GET ${V1}/teams/{id}/invitations`]: [
    'listTeamInvitations',
    'Who is invited, expired ones too. Needs the role OWNER.',
    OWN,
  ],
  [`POST ${V1}/teams/{id}/invitations`]: [
    'inviteToTeam',
    'For 7 days, whether or not there is an account with the email. Nothing is sent: pass the `url` on. Inviting an email again renews its invitation. Needs the role OWNER.',
    [...OWN, 'conflict'],
  ],
  [`GET ${V1}/teams/{id}/invitations/{invitationId}`]: [
    'getTeamInvitation',
    'One invitation of the team. Needs the role OWNER.',
    OWN,
  ],
  [`DELETE ${V1}/teams/{id}/invitations/{invitationId}`]: [
    'revokeTeamInvitation',
    'It cannot be accepted any more. Needs the role OWNER.',
    OWN,
  ],
  [`GET ${V1}/invitations`]: [
    'listInvitations',
    'Those to you, or to the email of your account, that can be accepted.',
  ],
  [`GET ${V1}/invitations/{id}`]: [
    'getInvitation',
    'One invitation to you, or to the email of your account.',
    OWN,
  ],
  [`DELETE ${V1}/invitations/{id}`]: ['declineInvitation', 'You do not become a member.', OWN],
  [`POST ${V1}/invitations/{id}/accept`]: [
    'acceptInvitation',
    'You become a member, with the role of the invitation; whoever is one already keeps the role.',
    OWN,
  ],
  [`GET ${V1}/credits`]: [
    'getCredits',
    'The balance of your active workspace, what is reserved for runs, and a page of the ledger.',
  ],

  [`GET ${V1}/credits/spending`]: [
    'getSpending',
    'What was charged in the last days (UTC), a day without a charge included.',
  ],
  [`GET ${V1}/credits/budgets`]: ['listBudgets', 'What each may spend in a UTC day, and has spent today.'],

  [`GET ${V1}/admin/users`]: ['listUsers', 'Every account of the instance.'],
  [`POST ${V1}/admin/users`]: [
    'createUser',
    'With `keyScopes` a first key comes along, with `invite` a link at which the user sets a password; shown this once.',
    ['forbidden', 'conflict'],
  ],
  [`GET ${V1}/admin/users/{userId}`]: ['getUser', 'One account.', ['not_found']],
  [`PATCH ${V1}/admin/users/{userId}`]: [
    'updateUser',
    'Changes plan, authorship, administration, or disables the account.',
    [...OWN, 'conflict'],
  ],
  [`GET ${V1}/admin/models`]: [
    'listAddedModels',
    'The models that the operator added, and why a stored one is left out.',
  ],
  [`POST ${V1}/admin/models`]: [
    'addModels',
    'Adds models, or puts them in place of those of the same `nodeType`: all or none.',
    ['stale_write'],
  ],
  [`GET ${V1}/admin/models/offers`]: [
    'findModelOffers',
    'The first hundred models of a provider that the words find, and which of them are in use.',
    ['provider_not_configured', 'fetch_failed'],
  ],
  [`POST ${V1}/admin/models/plan`]: [
    'planModels',
    'With `endpoints` what adding them would change; without, what the provider has changed of the models in use. Nothing is written: its `models` are sent with its `revision` to `POST /admin/models`.',
    ['provider_not_configured', 'fetch_failed', 'not_found'],
  ],
  [`GET ${V1}/admin/plans`]: ['listPlans', 'Their limits; `PLANS_FILE` changes them.'],
  [`GET ${V1}/admin/providers`]: [
    'checkProviders',
    'Sends each configured provider a request that costs nothing, at most every 10 s.',
  ],
  [`GET ${V1}/admin/workload`]: [
    'getWorkload',
    'Workers by their heartbeats, jobs by task and state, and for how long the oldest run has waited.',
  ],
  [`GET ${V1}/admin/credits`]: [
    'getCreditsOf',
    'Named by `userId` or `teamId`; without either, yours.',
    ['not_found'],
  ],
  [`POST ${V1}/admin/credits`]: [
    'grantCredits',
    'Adds to the pool of a user or a team; a negative amount takes away.',
    ['not_found', 'conflict', 'insufficient_credits'],
  ],

  'POST /api/content/webhook': [
    'createPage',
    'Writes a page of `/features`, `/models` or `/blog`, by its type. Needs the content secret.',
    ['conflict', 'duplicate_title', 'author_missing', 'slug_taken', 'not_found'],
  ],
  'PUT /api/content/webhook': [
    'updatePage',
    'Finds the page by `slug` and changes the fields that are sent. Needs the content secret.',
    ['not_found', 'duplicate_title'],
  ],

  'GET /': ['showStart', 'HTML: what this service is.', [], [304]],
  'GET /features': ['showFeatures', 'HTML: the pages of tools, features and apps.', ['not_found']],
  'GET /features/{slug}': ['showFeature', 'HTML of one page.', ['not_found'], [301]],
  'GET /models': ['showModels', 'HTML: the pages of models.', ['not_found']],
  'GET /models/{slug}': ['showModel', 'HTML of one page.', ['not_found'], [301]],
  'GET /blog': ['showBlog', 'HTML: the articles.', ['not_found']],
  'GET /blog/{slug}': ['showArticle', 'HTML of one article.', ['not_found'], [301]],
  'GET /sitemap.xml': ['getSitemap', 'Every published page, for search engines.'],
  'GET /blog/rss.xml': ['getFeed', 'The newest articles.'],
  'GET /flow/{id}': [
    'showWorkflow',
    'HTML: the graph of a workflow that the caller may read.',
    ['unauthorized', 'forbidden', 'not_found'],
  ],
  'GET /flow/{id}/preview.svg': ['getWorkflowDrawing', 'A drawing of a public workflow.', ['not_found']],

  'GET /healthz': ['getHealth', 'Answers while the process runs. For a supervisor.'],
  'GET /readyz': [
    'getReadiness',
    '200 while database, storage and queue answer, else 503. For a load balancer.',
  ],
  'GET /metrics': ['getMetrics', 'Counters and histograms in the text form of Prometheus.'],
};
