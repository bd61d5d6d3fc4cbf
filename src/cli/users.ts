// `graphwright users`: manages accounts, over HTTP if there is a key, else directly in the database.
import type { CreatedUser, PasswordLink, UserPage } from '../../sdk/src/schemas.ts';
import { type Command, type CommandInput, UsageError } from './command.ts';
import { parseScopes } from './keys.ts';
import { runAsOperator } from './operator.ts';
import { cleanText } from './terminal/text-width.ts';

export const createUser: Command = async ({ args, options, terminal, signal }) => {
  const [email = ''] = args;
  if (options.invite === true && options.scope !== undefined)
    throw new UsageError(
      '--scope applies to a key, which an invited user creates later. Omit --scope or --invite.',
    );
  const request = {
    email,
    name: typeof options.name === 'string' ? options.name : (email.split('@')[0] ?? email),
    ...(typeof options.plan === 'string' ? { plan: options.plan } : {}),
    ...(options.author === true ? { isAuthor: true } : {}),
    ...(options.admin === true ? { isAdmin: true } : {}),
    ...(options.invite === true ? { invite: true } : { keyScopes: [...parseScopes(options.scope)] }),
  };
  const user = await runAsOperator<CreatedUser>(signal, {
    http: client => client.post('/admin/users', request),
    database: async (deps, operator) =>
      (await import('../services/accounts/admin-users.ts')).createUser(deps, operator, request),
  });
  if (options.json === true) return terminal.print(JSON.stringify(user, null, 2));
  terminal.print(user.inviteUrl ?? user.apiKey ?? '');
  const credential = user.inviteUrl === undefined ? 'key' : 'link, valid for 72 hours,';
  terminal.note(
    `User ${user.userId}, ${cleanText(user.email)}, on plan ${user.plan}. The ${credential} above is shown only once.`,
  );
};

export const createSetUpLink: Command = input => createLink(input, { kind: 'setup' });

export const createResetLink: Command = input =>
  createLink(input, { kind: 'reset', email: input.args[0] ?? '' });

async function createLink(
  { options, terminal, signal }: CommandInput,
  request: { readonly kind: 'setup' | 'reset'; readonly email?: string },
): Promise<void> {
  const link = await runAsOperator<PasswordLink>(signal, {
    http: client => client.post('/admin/password-links', request),
    database: async (deps, operator) =>
      (await import('../services/sessions/password-links.ts')).createLinkAsAdmin(deps, operator, request),
  });
  if (options.json === true) return terminal.print(JSON.stringify(link, null, 2));
  terminal.print(link.url);
  const until = link.expiresAt === null ? '' : `, until ${link.expiresAt}`;
  terminal.note(`Valid for one use${until}; earlier links of this account no longer work. Shown only once.`);
}

export const resetSecondFactor: Command = async ({ args, terminal, signal }) => {
  const [email = ''] = args;
  await runAsOperator<void>(signal, {
    http: async client => {
      const query = new URLSearchParams({ query: email, limit: '100' });
      const { data } = await client.get<UserPage>(`/admin/users?${query}`);
      const user = data.find(each => each.email.toLowerCase() === email.toLowerCase());
      if (user === undefined) throw new UsageError(`No account has the email ${email}.`);
      await client.post(`/admin/users/${user.userId}/reset-second-factor`, {});
    },
    database: async (deps, operator) =>
      (await import('../services/second-factors/second-factors.ts')).resetByEmail(deps, operator, email),
  });
  terminal.note(`${cleanText(email)} has no second factor now, and is signed out everywhere.`);
};
