// Defines the schemas of requests and responses about second factors.
import { Type } from 'typebox';
import { Name } from '../accounts/names.ts';
import { IdParams, Named, NamedExact, Nullable, Timestamp } from '../schema.ts';
import type { Assertion, Attestation, PasskeyRequest } from './passkeys.ts';
import { FACTOR_METHODS, PROOF_METHODS } from './prove-factor.ts';

const MAX_BASE64 = 100_000;
const Base64Url = (maxLength = MAX_BASE64) => Type.String({ maxLength, pattern: '^[A-Za-z0-9_-]*$' });

/** The parts of a browser's response that the service reads; it ignores the others. */
const CREDENTIAL = {
  id: Base64Url(2000),
  rawId: Base64Url(2000),
  type: Type.Literal('public-key'),
};

const AssertionSchema = Type.Unsafe<Assertion>(
  Type.Object(
    {
      ...CREDENTIAL,
      response: Type.Object(
        {
          clientDataJSON: Base64Url(),
          authenticatorData: Base64Url(),
          signature: Base64Url(),
          userHandle: Type.Optional(Base64Url(2000)),
        },
        { additionalProperties: true },
      ),
      clientExtensionResults: Type.Optional(
        Type.Object({}, { additionalProperties: true, maxProperties: 50 }),
      ),
    },
    {
      title: 'PasskeyAssertion',
      description: 'The response of `navigator.credentials.get`, as its `toJSON()` returns it',
      additionalProperties: true,
    },
  ),
);

const AttestationSchema = Type.Unsafe<Attestation>(
  Type.Object(
    {
      ...CREDENTIAL,
      response: Type.Object(
        {
          clientDataJSON: Base64Url(),
          attestationObject: Base64Url(),
          transports: Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { maxItems: 20 })),
        },
        { additionalProperties: true },
      ),
      clientExtensionResults: Type.Optional(
        Type.Object({}, { additionalProperties: true, maxProperties: 50 }),
      ),
    },
    {
      title: 'PasskeyAttestation',
      description: 'The response of `navigator.credentials.create`, as its `toJSON()` returns it',
      additionalProperties: true,
    },
  ),
);

const Code = Type.String({
  minLength: 6,
  maxLength: 12,
  description: 'The six digits of an authenticator app',
});

const PROOF = {
  code: Type.Optional(Code),
  recoveryCode: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  assertion: Type.Optional(AssertionSchema),
};

export const SecondFactorBody = NamedExact(
  'SecondFactorInput',
  'The challenge of the sign-in, and one of `code`, `recoveryCode` and `assertion`',
  { challenge: Type.String({ minLength: 1, maxLength: 100 }), ...PROOF },
);

export const ReauthenticateBody = NamedExact(
  'ReauthenticateInput',
  'One of these: the second factor of an account that has one, else the password',
  { password: Type.Optional(Type.String({ maxLength: 256 })), ...PROOF },
);

const PublicKeyRequest = (description: string) =>
  Type.Unsafe<PasskeyRequest>(Type.Object({}, { additionalProperties: true, description }));

const Methods = Type.Array(Type.Enum(FACTOR_METHODS), { description: 'How the factor can be proved' });
const PasskeyOptions = Nullable(
  PublicKeyRequest(
    'The argument of `PublicKeyCredential.parseRequestOptionsFromJSON`; null without a passkey',
  ),
);

export const SecondStepSchema = Named('SecondStep', 'The sign-in continues with a second factor', {
  needs: Type.Literal('second_factor'),
  challenge: Type.String({ description: 'Valid for 10 minutes and five tries' }),
  methods: Methods,
  passkey: PasskeyOptions,
});

export const ConfirmationOptions = Named('ConfirmationOptions', 'How to confirm your identity', {
  methods: Type.Array(Type.Enum(PROOF_METHODS)),
  passkey: PasskeyOptions,
});

export const TotpSetupSchema = Named('TotpSetup', 'A secret for an authenticator app, shown once', {
  secret: Type.String({ description: 'Base 32, to enter by hand' }),
  uri: Type.String({ description: 'For a QR code' }),
});

export const TotpCodeBody = NamedExact('TotpCode', 'A code of the new secret', { code: Code });

export const Passkey = Named('Passkey', 'A passkey of your account', {
  id: Type.String(),
  name: Type.String(),
  createdAt: Timestamp,
  lastUsedAt: Nullable(Timestamp),
});

export const PasskeyList = Named('PasskeyList', 'Your passkeys', { data: Type.Array(Passkey) });

export const PasskeyBody = NamedExact('PasskeyInput', 'A new passkey', {
  name: Name,
  attestation: AttestationSchema,
});

export const PasskeyParams = IdParams('Passkey ID, `psk_…`');

export const NewPasskeyOptions = Type.Object(
  {},
  {
    title: 'NewPasskeyOptions',
    description: 'The argument of `PublicKeyCredential.parseCreationOptionsFromJSON`',
    additionalProperties: true,
  },
);

export const RecoveryCodes = Named('RecoveryCodes', 'New recovery codes, shown once', {
  codes: Type.Array(Type.String()),
});

export const SecondFactors = Named('SecondFactors', 'The second factors of your account', {
  totp: Type.Boolean({ description: 'Whether an authenticator app is set up' }),
  passkeys: Type.Array(Passkey),
  recoveryCodes: Type.Integer({ description: 'The number of recovery codes that are left' }),
  requiredBy: Nullable(
    Type.String({ description: 'What requires you to have one: `this service`, or the name of a team' }),
  ),
  passkeysAvailable: Type.Boolean({
    description: 'False if browsers offer no passkeys for BASE_URL: an IP address, or HTTP',
  }),
});
