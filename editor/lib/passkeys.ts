// Asks the browser for passkeys. The requests come from the service.
import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import { messages } from '../factor-messages.ts';
import { UserFacingError } from './user-facing-error.ts';

/** What the service asks a passkey to sign. */
export type PasskeyRequest = Readonly<Record<string, unknown>>;

/** Returns the passkey's signature. Throws a UserFacingError if the user cancels or has no such passkey. */
export async function signWithPasskey(request: PasskeyRequest): Promise<unknown> {
  const optionsJSON = request as unknown as PublicKeyCredentialRequestOptionsJSON;
  return startAuthentication({ optionsJSON }).catch(throwReadable);
}

/** Creates a passkey. Throws a UserFacingError if the user cancels or the passkey is already registered. */
export async function createPasskey(request: PasskeyRequest): Promise<unknown> {
  const optionsJSON = request as unknown as PublicKeyCredentialCreationOptionsJSON;
  return startRegistration({ optionsJSON }).catch(throwReadable);
}

function throwReadable(thrown: unknown): never {
  const name = thrown instanceof Error ? thrown.name : '';
  const { canceled, registered, failed } = messages.passkeyErrors;
  const text =
    { NotAllowedError: canceled, AbortError: canceled, InvalidStateError: registered }[name] ?? failed;
  throw new UserFacingError(text);
}
