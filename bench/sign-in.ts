// Creates a user with a session, for benchmarks of the web application.
import { randomUUID } from 'node:crypto';
import type { Account, BenchService } from './service.ts';

const PASSWORD = 'correct horse battery';

/** Invites a user, accepts the invitation and returns the session cookie. */
export async function signIn(service: Pick<BenchService, 'url' | 'fetch'>): Promise<string> {
  const invited = await service.fetch('/api/v1/admin/users', {
    method: 'POST',
    // The email is random, because the sections of `--short` share a service.
    body: JSON.stringify({
      email: `ana-${randomUUID()}@example.com`,
      name: 'Ana',
      plan: 'self_hosted',
      invite: true,
    }),
  });
  const { inviteUrl } = (await invited.json()) as { inviteUrl: string };
  const response = await fetch(`${service.url}/api/v1/auth/accept-invite`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ token: new URL(inviteUrl).hash.slice(1), password: PASSWORD }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}

/** Sends requests of the signed-in user, as from a page of the service. */
export const withSession = ({ url }: Pick<BenchService, 'url'>, cookie: string): Account => ({
  fetch: (path, init) =>
    fetch(url + path, {
      ...init,
      headers: { 'content-type': 'application/json', cookie, 'sec-fetch-site': 'same-origin' },
    }),
});
