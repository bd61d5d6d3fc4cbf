// Describes the operations of accounts, keys, teams, credits, administration, content, pages and health.
import type { OperationTable } from './operation.ts';

const V1 = '/api/v1';
const OWN = ['forbidden', 'not_found'] as const;

export const ACCOUNT_OPERATIONS: OperationTable = {
  [`GET ${V1}/me`]: [
    'getMe',
    'Returns your user, your active workspace and plan, and the scopes of the credential you sent.',
  ],
  [`PATCH ${V1}/me`]: ['updateMe', 'Changes your name, as others see it. The email cannot be changed.'],
  [`PUT ${V1}/me/workspace`]: [
    'setWorkspace',
    'Sets the workspace that new items belong to and whose credits pay for runs: the id of a team, or null for your personal workspace.',
    ['not_found'],
  ],
  [`GET ${V1}/keys`]: [
    'listKeys',
    'Returns your API keys. The keys themselves are not stored, only their names, scopes and last use.',
  ],
  [`POST ${V1}/keys`]: [
    'createKey',
    'Creates an API key. It cannot have a scope that the credential you sent lacks. The key is shown only in this response.',
    ['forbidden'],
  ],
  [`GET ${V1}/keys/{id}`]: [
    'getKey',
    'Returns the name and scopes of an API key, and when it was last used.',
    OWN,
  ],
  [`PATCH ${V1}/keys/{id}`]: ['updateKey', 'Changes the name of an API key.', OWN],
  [`DELETE ${V1}/keys/{id}`]: ['revokeKey', 'Revokes an API key. Every process refuses it within 5 s.', OWN],

  [`GET ${V1}/connections`]: [
    'listConnections',
    'Returns the applications that you authorized to use the service on your behalf, newest first. Their access tokens are valid only for `/mcp`.',
  ],
  [`DELETE ${V1}/connections/{id}`]: [
    'endConnection',
    'Revokes an application’s access. Every process refuses its tokens within 5 s.',
    ['not_found'],
  ],

  [`GET ${V1}/teams`]: ['listTeams', 'Returns the teams that you are a member of.'],
  [`POST ${V1}/teams`]: ['createTeam', 'Creates a team. You become its first OWNER.'],
  [`GET ${V1}/teams/{id}`]: ['getTeam', 'Returns a team and your role in it.', OWN],
  [`PATCH ${V1}/teams/{id}`]: ['updateTeam', 'Changes the name of a team. Requires the role OWNER.', OWN],
  [`DELETE ${V1}/teams/{id}`]: [
    'deleteTeam',
    'Deletes a team that has no workflows. Its media are transferred to the people who uploaded them. Requires the role OWNER.',
    [...OWN, 'team_not_empty'],
  ],
  [`GET ${V1}/teams/{id}/members`]: ['listMembers', 'Returns all members of a team with their roles.', OWN],
  [`POST ${V1}/teams/{id}/members`]: [
    'addMember',
    'Invites a person by `email`, or a member of another team of yours by `userId`. They join when they accept. The response to an email is the same whether or not an account uses it. Requires the role OWNER.',
    [...OWN, 'conflict'],
  ],
  [`GET ${V1}/teams/{id}/members/{userId}`]: ['getMember', 'Returns a member of a team and their role.', OWN],
  [`PATCH ${V1}/teams/{id}/members/{userId}`]: [
    'updateMember',
    'Changes the role of a member. A team must have at least one OWNER.',
    [...OWN, 'last_owner'],
  ],
  [`DELETE ${V1}/teams/{id}/members/{userId}`]: [
    'removeMember',
    'Removes a member, or yourself, from a team. A team must have at least one OWNER.',
    [...OWN, 'last_owner'],
  ],
  [`GET ${V1}/teams/{id}/invitations`]: [
    'listTeamInvitations',
    'Returns the invitations of a team, including expired ones. Requires the role OWNER.',
    OWN,
  ],
  [`POST ${V1}/teams/{id}/invitations`]: [
    'inviteToTeam',
    'Creates an invitation that is valid for 7 days, whether or not an account uses the email. No email is sent: share the `url` yourself. Inviting the same email again renews the invitation. Requires the role OWNER.',
    [...OWN, 'conflict'],
  ],
  [`GET ${V1}/teams/{id}/invitations/{invitationId}`]: [
    'getTeamInvitation',
    'Returns an invitation of a team. Requires the role OWNER.',
    OWN,
  ],
  [`DELETE ${V1}/teams/{id}/invitations/{invitationId}`]: [
    'revokeTeamInvitation',
    'Revokes an invitation, so that it can no longer be accepted. Requires the role OWNER.',
    OWN,
  ],
  [`GET ${V1}/invitations`]: [
    'listInvitations',
    'Returns the open invitations that are addressed to you or to the email of your account.',
  ],
  [`GET ${V1}/invitations/{id}`]: [
    'getInvitation',
    'Returns an invitation that is addressed to you or to the email of your account.',
    OWN,
  ],
  [`DELETE ${V1}/invitations/{id}`]: [
    'declineInvitation',
    'Declines an invitation. You do not become a member.',
    OWN,
  ],
  [`POST ${V1}/invitations/{id}/accept`]: [
    'acceptInvitation',
    'Accepts an invitation. You become a member with the role of the invitation. If you are a member already, you keep your role.',
    OWN,
  ],
  [`GET ${V1}/credits`]: [
    'getCredits',
    'Returns the balance of your active workspace, the credits reserved for runs, and a page of the ledger.',
  ],

  [`GET ${V1}/credits/spending`]: [
    'getSpending',
    'Returns the credits charged on each of the last days (UTC), including days without charges.',
  ],
  [`GET ${V1}/credits/budgets`]: [
    'listBudgets',
    'Returns the daily budgets, with the credits spent today (UTC).',
  ],

  [`GET ${V1}/admin/users`]: ['listUsers', 'Returns all accounts of the instance.'],
  [`POST ${V1}/admin/users`]: [
    'createUser',
    'Creates a user. `keyScopes` also creates a first API key, and `invite` a link to set a password. Both are shown only in this response.',
    ['forbidden', 'conflict'],
  ],
  [`GET ${V1}/admin/users/{userId}`]: ['getUser', 'Returns an account.', ['not_found']],
  [`PATCH ${V1}/admin/users/{userId}`]: [
    'updateUser',
    'Changes the plan, author flag or administrator role of an account, or disables it.',
    [...OWN, 'conflict'],
  ],
  [`GET ${V1}/admin/models`]: [
    'listAddedModels',
    'Returns the models that the operator added, and the reason for each stored model that is not in use.',
  ],
  [`POST ${V1}/admin/models`]: [
    'addModels',
    'Adds models, replacing models with the same `nodeType`. Either all models are added or none.',
    ['stale_write'],
  ],
  [`GET ${V1}/admin/models/offers`]: [
    'findModelOffers',
    'Returns the first hundred models of a provider that match the search words, and whether each is in use.',
    ['provider_not_configured', 'fetch_failed'],
  ],
  [`POST ${V1}/admin/models/plan`]: [
    'planModels',
    'Returns a plan of model changes without saving anything. With `endpoints`, the plan adds those models. Without, it lists what the provider has changed in the models in use. To apply a plan, send its `models` and `revision` to `POST /admin/models`.',
    ['provider_not_configured', 'fetch_failed', 'not_found'],
  ],
  [`GET ${V1}/admin/plans`]: [
    'listPlans',
    'Returns the plans and their limits. To change them, set `PLANS_FILE`.',
  ],
  [`GET ${V1}/admin/providers`]: [
    'checkProviders',
    'Sends each configured provider a free request, at most once every 10 s, and returns the results.',
  ],
  [`GET ${V1}/admin/workload`]: [
    'getWorkload',
    'Returns the workers with their last heartbeats, the number of jobs by task and state, and how long the oldest run has been waiting.',
  ],
  [`GET ${V1}/admin/credits`]: [
    'getCreditsOf',
    'Returns the credits of the user `userId` or the team `teamId`. Without either, returns yours.',
    ['not_found'],
  ],
  [`POST ${V1}/admin/credits`]: [
    'grantCredits',
    'Adds credits to the balance of a user or a team. A negative amount revokes credits.',
    ['not_found', 'conflict', 'insufficient_credits'],
  ],

  'POST /api/content/webhook': [
    'createPage',
    'Creates a page of `/features`, `/models` or `/blog`, depending on its type. Requires the content secret.',
    ['conflict', 'duplicate_title', 'author_missing', 'slug_taken', 'not_found'],
  ],
  'PUT /api/content/webhook': [
    'updatePage',
    'Finds a page by its `slug` and changes the fields that are sent. Requires the content secret.',
    ['not_found', 'duplicate_title'],
  ],

  'GET /': ['showStart', 'Returns the start page as HTML.', [], [304]],
  'GET /features': ['showFeatures', 'Returns the list of tools, features and apps as HTML.', ['not_found']],
  'GET /features/{slug}': [
    'showFeature',
    'Returns the page of a tool, feature or app as HTML.',
    ['not_found'],
    [301],
  ],
  'GET /models': ['showModels', 'Returns the list of models as HTML.', ['not_found']],
  'GET /models/{slug}': ['showModel', 'Returns the page of a model as HTML.', ['not_found'], [301]],
  'GET /blog': ['showBlog', 'Returns the list of articles as HTML.', ['not_found']],
  'GET /blog/{slug}': ['showArticle', 'Returns an article as HTML.', ['not_found'], [301]],
  'GET /sitemap.xml': ['getSitemap', 'Returns the sitemap of all published pages, for search engines.'],
  'GET /blog/rss.xml': ['getFeed', 'Returns the newest articles as an RSS feed.'],
  'GET /flow/{id}': [
    'showWorkflow',
    'Returns the graph of a workflow that the caller may read, as HTML.',
    ['unauthorized', 'forbidden', 'not_found'],
  ],
  'GET /flow/{id}/preview.svg': [
    'getWorkflowDrawing',
    'Returns a drawing of a public workflow as SVG.',
    ['not_found'],
  ],

  'GET /healthz': [
    'getHealth',
    'Returns 200 while the process is running. Intended for process supervisors.',
  ],
  'GET /readyz': [
    'getReadiness',
    'Returns 200 while the database, the storage and the queue respond, otherwise 503. Intended for load balancers.',
  ],
  'GET /metrics': ['getMetrics', 'Returns metrics in the Prometheus text format.'],
};
