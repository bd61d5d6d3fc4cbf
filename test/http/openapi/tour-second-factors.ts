// Sends requests to the operations of second factors.
import { Secret, TOTP } from 'otpauth';
import { Authenticator } from '../../support/accounts/authenticator.ts';
import type { TourContext, TourResponse } from './tour.ts';

const V1 = '/api/v1';
const NOBODY = { who: 'nobody' };

const read = <T>({ body }: TourResponse): T => body as unknown as T;
const asBrowser = (cookie: string) => ({ ...NOBODY, headers: { cookie, 'sec-fetch-site': 'same-origin' } });

export async function tourSecondFactors({ send, origin }: TourContext): Promise<void> {
  const [email, password, next] = ['lin@example.com', 'lin’s first password', 'lin’s other password'];
  const user = await send('POST', `${V1}/admin/users`, {
    email,
    name: 'Lin',
    plan: 'enterprise',
    invite: true,
  });
  const { userId, inviteUrl } = read<{ userId: number; inviteUrl: string }>(user);
  const token = inviteUrl.split('#')[1];
  const invited = await send('POST', `${V1}/auth/accept-invite`, { token, password }, NOBODY);
  const older = asBrowser(invited.cookie);
  const session = asBrowser((await send('POST', `${V1}/auth/sign-in`, { email, password }, NOBODY)).cookie);
  const team = await send('POST', `${V1}/teams`, { name: 'Atelier' }, session);
  await send('PATCH', `${V1}/teams/${team.body.id}`, { requiresSecondFactor: true }, session);

  const setUp = await send('POST', `${V1}/auth/totp`, undefined, session);
  const totp = new TOTP({ secret: Secret.fromBase32(read<{ secret: string }>(setUp).secret) });
  await send('POST', `${V1}/auth/totp/confirm`, { code: totp.generate() }, session);
  const codes = read<{ codes: string[] }>(
    await send('POST', `${V1}/auth/recovery-codes`, undefined, session),
  );
  const passkey = new Authenticator({ origin });
  const request = await send('POST', `${V1}/auth/passkeys/options`, undefined, session);
  const attestation = passkey.create(read(request));
  const stored = await send('POST', `${V1}/auth/passkeys`, { name: 'Laptop', attestation }, session);
  await send('GET', `${V1}/auth/passkeys`, undefined, session);
  await send('GET', `${V1}/auth/second-factors`, undefined, session);

  const options = await send('POST', `${V1}/auth/reauthenticate/options`, undefined, session);
  const assertion = passkey.get(read<{ passkey: { challenge: string } }>(options).passkey);
  await send('POST', `${V1}/auth/reauthenticate`, { assertion }, session);
  const { challenge } = read<{ challenge: string }>(
    await send('POST', `${V1}/auth/sign-in`, { email, password }, NOBODY),
  );
  await send('POST', `${V1}/auth/second-factor`, { challenge, recoveryCode: codes.codes[0] }, NOBODY);
  await send('POST', `${V1}/auth/sign-in/passkey`, undefined, NOBODY);
  await send('POST', `${V1}/auth/password`, { current: password, next }, older);
  const link = await send('POST', `${V1}/admin/password-links`, { kind: 'reset', email });
  const reset = { token: read<{ url: string }>(link).url.split('#')[1], password };
  await send('POST', `${V1}/auth/accept-invite`, reset, NOBODY);
  const again = read<{ challenge: string }>(
    await send('POST', `${V1}/auth/sign-in`, { email, password }, NOBODY),
  );
  const proof = { challenge: again.challenge, assertion: passkey.get(again) };
  const last = asBrowser((await send('POST', `${V1}/auth/second-factor`, proof, NOBODY)).cookie);
  await send('DELETE', `${V1}/auth/totp`, undefined, last);
  await send('DELETE', `${V1}/auth/passkeys/${stored.body.id}`, undefined, last);
  await send('POST', `${V1}/admin/users/${userId}/reset-second-factor`, undefined);
}
