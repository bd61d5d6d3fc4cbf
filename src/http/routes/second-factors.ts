// Registers the routes for second factors: the second step of a sign-in, authenticator apps, passkeys and recovery codes.
import { Type } from 'typebox';
import { Success, UserParams } from '../../services/accounts/account.schema.ts';
import type { Deps } from '../../services/deps.ts';
import {
  NewPasskeyOptions,
  Passkey,
  PasskeyBody,
  PasskeyList,
  PasskeyParams,
  RecoveryCodes,
  SecondFactorBody,
  SecondFactors,
  SecondStepSchema,
  TotpCodeBody,
  TotpSetupSchema,
} from '../../services/second-factors/second-factor.schema.ts';
import {
  addPasskey,
  beginPasskey,
  confirmTotp,
  readSecondFactors,
  removePasskey,
  removeTotp,
  renewRecoveryCodes,
  resetSecondFactor,
  setUpTotp,
} from '../../services/second-factors/second-factors.ts';
import { beginPasskeySignIn, completeSignIn } from '../../services/second-factors/second-step.ts';
import { formatSessionCookies } from '../cookies.ts';
import type { Server } from '../deps.ts';
import { createDescriber, RESOURCE_ERRORS, toSuccess } from '../route.ts';
import { toVisitor } from './auth.ts';

const operation = createDescriber('Sign-in');
const adminOperation = createDescriber('Administration');

export function registerSecondFactors(server: Server, deps: Deps): void {
  registerSignIn(server, deps);
  registerTotp(server, deps);
  registerPasskeys(server, deps);
  server.get(
    '/api/v1/auth/second-factors',
    operation('getSecondFactors', 'session', {
      summary: 'Read your second factors',
      description: 'Returns your second factors, and what requires you to have one.',
      response: { 200: SecondFactors },
      withoutSecondFactor: true,
      isUncacheable: true,
    }),
    req => readSecondFactors(deps, req.actor),
  );
  server.post(
    '/api/v1/auth/recovery-codes',
    operation('createRecoveryCodes', 'session', {
      summary: 'Create recovery codes',
      description:
        'Replaces your recovery codes by ten new ones, which are shown only in this response. Each replaces your second factor once.',
      reauthentication: 'always',
      errors: ['conflict'],
      response: { 200: RecoveryCodes },
      withoutSecondFactor: true,
      isUncacheable: true,
    }),
    req => renewRecoveryCodes(deps, req.actor),
  );
  server.post(
    '/api/v1/admin/users/:userId/reset-second-factor',
    adminOperation('resetSecondFactor', 'instance:admin', {
      summary: 'Remove the second factors of a user',
      description:
        'Removes the authenticator app, passkeys and recovery codes of someone who lost them, and ends their sessions. Check who asks.',
      reauthentication: 'always',
      errors: RESOURCE_ERRORS,
      params: UserParams,
      response: { 200: Success },
    }),
    req => toSuccess(resetSecondFactor(deps, req.actor, req.params.userId)),
  );
}

function registerSignIn(server: Server, deps: Deps): void {
  server.post(
    '/api/v1/auth/second-factor',
    operation('proveSecondFactor', 'public', {
      summary: 'Complete a sign-in with a second factor',
      description:
        'Creates a session. `challenge` comes from the response of a sign-in. Each code and each signature works once. Five tries per challenge; wrong ones count as failed sign-ins.',
      errors: ['invalid_credentials', 'conflict'],
      body: SecondFactorBody,
      response: { 204: Type.Unsafe<undefined>({ description: 'Signed in. The session cookie is set.' }) },
      isUncacheable: true,
    }),
    async (req, reply) => {
      const session = await completeSignIn(deps, req.body, toVisitor(deps, req, reply));
      return reply
        .code(204)
        .header('set-cookie', formatSessionCookies(deps.settings.BASE_URL, session))
        .send();
    },
  );
  server.post(
    '/api/v1/auth/sign-in/passkey',
    operation('signInWithPasskey', 'public', {
      summary: 'Sign in with a passkey alone',
      description:
        'Returns the request for a passkey. Send the browser’s response with the challenge to POST /auth/second-factor. The passkey tells who signs in, and its authenticator must verify its owner.',
      errors: ['conflict'],
      response: { 200: SecondStepSchema },
      isUncacheable: true,
    }),
    (req, reply) => beginPasskeySignIn(deps, toVisitor(deps, req, reply)),
  );
}

function registerTotp(server: Server, deps: Deps): void {
  server.post(
    '/api/v1/auth/totp',
    operation('createTotp', 'session', {
      summary: 'Set up an authenticator app',
      description:
        'Creates a secret for an authenticator app (RFC 6238: SHA-1, six digits, 30 s). An app that is set up already keeps working until a code confirms the new secret.',
      reauthentication: 'always',
      response: { 200: TotpSetupSchema },
      withoutSecondFactor: true,
      isUncacheable: true,
    }),
    req => setUpTotp(deps, req.actor),
  );
  server.post(
    '/api/v1/auth/totp/confirm',
    operation('confirmTotp', 'session', {
      summary: 'Confirm an authenticator app',
      description: 'Makes the new secret your second factor.',
      reauthentication: 'always',
      errors: ['invalid_credentials', 'conflict'],
      body: TotpCodeBody,
      response: { 200: Success },
      withoutSecondFactor: true,
    }),
    req => toSuccess(confirmTotp(deps, req.actor, req.body)),
  );
  server.delete(
    '/api/v1/auth/totp',
    operation('deleteTotp', 'session', {
      summary: 'Remove your authenticator app',
      description: 'Removes the authenticator app. Recovery codes end with the last second factor.',
      reauthentication: 'always',
      errors: ['not_found', 'second_factor_required'],
      response: { 200: Success },
      withoutSecondFactor: true,
    }),
    req => toSuccess(removeTotp(deps, req.actor)),
  );
}

function registerPasskeys(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/auth/passkeys',
    operation('listPasskeys', 'session', {
      summary: 'List your passkeys',
      description: 'Returns your passkeys, oldest first.',
      response: { 200: PasskeyList },
      withoutSecondFactor: true,
    }),
    async req => ({ data: (await readSecondFactors(deps, req.actor)).passkeys }),
  );
  server.post(
    '/api/v1/auth/passkeys/options',
    operation('createPasskeyOptions', 'session', {
      summary: 'Begin a passkey',
      description: 'Returns the request for a new passkey, which is valid for 10 minutes.',
      reauthentication: 'always',
      errors: ['conflict'],
      response: { 200: NewPasskeyOptions },
      withoutSecondFactor: true,
      isUncacheable: true,
    }),
    req => beginPasskey(deps, req.actor),
  );
  server.post(
    '/api/v1/auth/passkeys',
    operation('createPasskey', 'session', {
      summary: 'Add a passkey',
      description: 'Stores the passkey that the browser created. An account has at most 20.',
      reauthentication: 'always',
      errors: ['invalid_credentials', 'conflict'],
      body: PasskeyBody,
      response: { 201: Passkey },
      withoutSecondFactor: true,
    }),
    async (req, reply) => reply.code(201).send(await addPasskey(deps, req.actor, req.body)),
  );
  server.delete(
    '/api/v1/auth/passkeys/:id',
    operation('deletePasskey', 'session', {
      summary: 'Remove a passkey',
      description: 'Removes a passkey. Recovery codes end with the last second factor.',
      reauthentication: 'always',
      errors: ['not_found', 'second_factor_required'],
      params: PasskeyParams,
      response: { 200: Success },
      withoutSecondFactor: true,
    }),
    req => toSuccess(removePasskey(deps, req.actor, req.params.id)),
  );
}
