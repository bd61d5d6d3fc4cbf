// Creates the authorization server: the library's endpoints with normalized requests, and our consent page.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../lib/errors.ts';
import type { Deps } from '../../services/deps.ts';
import { loadOAuthKeys } from '../../services/oauth/oauth-keys.ts';
import type { Endpoint, OAuthServer } from '../../services/oauth/oauth-server.ts';
import { getMcpResource } from '../../services/oauth/oauth-server.ts';
import { createConsent } from './consent.ts';
import { forwardRequest, type RequestParts } from './forwarded-request.ts';
import { createProvider } from './provider.ts';
import { parseAuthorizationQuery, parseRegistration, parseTokenForm } from './requests.ts';

export async function createOAuthServer(deps: Deps): Promise<OAuthServer> {
  const { settings } = deps;
  const keys = await loadOAuthKeys(deps);
  const provider = createProvider(deps, keys);
  const handle = provider.callback() as (req: IncomingMessage, res: ServerResponse) => Promise<void>;
  const resource = getMcpResource(settings);
  return {
    prepare: async (endpoint, raw, body) => {
      const parts = NORMALIZERS[endpoint](raw, body, resource);
      return res => handle(forwardRequest(raw, settings.BASE_URL, parts), res);
    },
    ...createConsent(deps, provider, keys),
  };
}

const GET = 'GET';
const POST = 'POST';

const NORMALIZERS: Readonly<
  Record<Endpoint, (raw: IncomingMessage, body: unknown, resource: string) => RequestParts>
> = {
  authorize: (raw, _body, resource) => ({
    method: GET,
    url: `/oauth/authorize?${parseAuthorizationQuery(splitUrl(raw).search, resource)}`,
  }),
  resume: raw => ({ method: GET, url: splitUrl(raw).pathname }),
  token: (_raw, body, resource) => ({
    method: POST,
    url: '/oauth/token',
    body: toForm(parseTokenForm(requireText(body), resource).toString()),
  }),
  revoke: (_raw, body) => ({ method: POST, url: '/oauth/revoke', body: toForm(requireText(body)) }),
  register: (_raw, body) => ({
    method: POST,
    url: '/oauth/register',
    body: { type: 'application/json', text: JSON.stringify(parseRegistration(body)) },
  }),
};

const splitUrl = ({ url = '/' }: IncomingMessage): URL => new URL(url, 'http://localhost');

const toForm = (text: string) => ({ type: 'application/x-www-form-urlencoded', text });

function requireText(body: unknown): string {
  if (typeof body === 'string') return body;
  throw new AppError('unsupported_type', 'The body must be a form: application/x-www-form-urlencoded.');
}
