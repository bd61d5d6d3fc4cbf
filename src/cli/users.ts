// `graphwright users`: accounts, over HTTP where a key is at hand, else on the database itself.
import { readSettings } from '../lib/settings.ts';
import { connect } from './client.ts';
import type { Command } from './command.ts';
import { parseScopes } from './keys.ts';
import { asOperator } from './operator.ts';
import { cleanText } from './terminal/text-width.ts';

interface NewUser {
  readonly userId: number;
  readonly email: string;
  readonly plan: string;
  readonly apiKey?: string;
}

export const createUser: Command = async ({ args, options, terminal, signal }) => {
  const [email = ''] = args;
  const wanted = {
    email,
    name: typeof options.name === 'string' ? options.name : (email.split('@')[0] ?? email),
    ...(typeof options.plan === 'string' ? { plan: options.plan } : {}),
    ...(options.author === true ? { isAuthor: true } : {}),
    keyScopes: [...parseScopes(options.scope)],
  };
  const settings = readSettings();
  const user: NewUser =
    settings.GRAPHWRIGHT_API_KEY === undefined
      ? await asOperator(settings, async (deps, operator) =>
          (await import('../services/accounts/admin-users.ts')).createUser(deps, operator, wanted),
        )
      : await connect(settings, signal).post<NewUser>('/admin/users', wanted);
  if (options.json === true) return terminal.print(JSON.stringify(user, null, 2));
  terminal.print(user.apiKey ?? '');
  terminal.note(
    `User ${user.userId}, ${cleanText(user.email)}, on plan ${user.plan}. The key above is shown this once.`,
  );
};
