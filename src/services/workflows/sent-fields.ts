// Checks the fields of a PUT that a PUT cannot change. Accepts values that a GET returned, and rejects or reports other
// values.
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../lib/errors.ts';
import { type PresentedMembers, reduceSettings } from './present-workflow.ts';

type Body = Readonly<Record<string, unknown>>;

/** Fields that a PUT can change. */
const WRITABLE_FIELDS = [
  'name',
  'description',
  'nodes',
  'edges',
  'tags',
  'isActive',
  'webhookId',
  'webhookUrl',
  'folderId',
  'autoLayout',
  'secrets',
  'poster',
  'baseUpdatedAt',
] as const;

/** Fields that other endpoints change, with the endpoint. A PUT that changes one of them is rejected. */
const CHANGING_ENDPOINTS = {
  linkPermission: 'POST /workflows/{id}/visibility',
  isPublished: 'POST /workflows/{id}/publish',
  publishedSlug: 'POST /workflows/{id}/publish',
  publishedAt: 'POST /workflows/{id}/publish',
  publishSettings: 'POST /workflows/{id}/publish',
} as const;
type OtherEndpointField = keyof typeof CHANGING_ENDPOINTS;

/** Fields that differ for each reader or write. A PUT may contain any value of them. */
const UNCHECKED_FIELDS = [
  'isOwner',
  'canEdit',
  'canDuplicate',
  'userRole',
  'media',
  'meta',
  'updatedAt',
] as const;

/** Fields that the service changes, with a function that returns whether an earlier GET can have returned the value. */
const SERVICE_FIELDS: Readonly<Record<string, (value: unknown, current: unknown) => boolean>> = {
  views: (value, current) => typeof value === 'number' && value >= 0 && value <= Number(current),
  lastEditorHeartbeatAt: (value, current) =>
    value === null || (typeof value === 'string' && typeof current === 'string' && value <= current),
};

const MAX_NAMED = 20;
const MAX_NAME_LENGTH = 100;

/**
 * Returns warnings about ignored keys. `current` contains the members that an editor's GET would return now. Throws 400
 * `field_not_writable`, and 409 `stale_write` if the body is older than the stored workflow.
 */
export function checkSentFields(body: Body, current: PresentedMembers): readonly string[] {
  const changedKeys = (Object.keys(CHANGING_ENDPOINTS) as OtherEndpointField[]).filter(
    key => Object.hasOwn(body, key) && !isUnchanged(key, body[key], current),
  );
  const isMoved = body.folderId !== undefined && body.folderId !== current.folderId;
  if ((changedKeys.length > 0 || isMoved) && isStale(body, current)) {
    const names = [...changedKeys, ...(isMoved ? ['folderId'] : [])].join(', ');
    throw new AppError(
      'stale_write',
      `The workflow changed after you read it, and ${names} differs. Read it again and reapply your changes.`,
    );
  }
  if (changedKeys.length > 0) throw createNotWritableError(changedKeys);
  return describeIgnored(
    Object.keys(body).filter(key => !isAccepted(key, body[key], current)),
    'PUT',
    [...WRITABLE_FIELDS, ...UNCHECKED_FIELDS],
  );
}

/** Returns a warning that lists the ignored keys and all accepted keys, or no warning if no key was ignored. */
export function describeIgnored(
  ignored: readonly string[],
  method: 'POST' | 'PUT',
  acceptedKeys: readonly string[],
): readonly string[] {
  if (ignored.length === 0) return [];
  const names = ignored.slice(0, MAX_NAMED).map(key => key.slice(0, MAX_NAME_LENGTH));
  const suffix = ignored.length > MAX_NAMED ? ` and ${ignored.length - MAX_NAMED} more` : '';
  return [
    `Ignored: ${names.join(', ')}${suffix}. ${method} accepts ${acceptedKeys.join(', ')}; other keys will become 400 unknown_parameter.`,
  ];
}

function isAccepted(key: string, value: unknown, current: PresentedMembers): boolean {
  if ([...WRITABLE_FIELDS, ...UNCHECKED_FIELDS, ...Object.keys(CHANGING_ENDPOINTS)].includes(key))
    return true;
  if (!Object.hasOwn(current, key)) return false;
  const currentValue = current[key as keyof PresentedMembers];
  return isDeepStrictEqual(value, currentValue) || SERVICE_FIELDS[key]?.(value, currentValue) === true;
}

/** Returns whether the value is unchanged. A key without read access gets, and may send, reduced publish settings. */
function isUnchanged(key: OtherEndpointField, value: unknown, current: PresentedMembers): boolean {
  if (isDeepStrictEqual(value, current[key])) return true;
  return key === 'publishSettings' && isDeepStrictEqual(value, reduceSettings(current.publishSettings));
}

function isStale({ updatedAt, baseUpdatedAt }: Body, current: PresentedMembers): boolean {
  const storedMs = Date.parse(current.updatedAt);
  return [updatedAt, baseUpdatedAt].some(base => typeof base === 'string' && Date.parse(base) < storedMs);
}

function createNotWritableError(keys: readonly OtherEndpointField[]): AppError {
  const issues = keys.map(key => ({
    path: `/${key}`,
    code: 'field_not_writable',
    message: `${key} is changed by ${CHANGING_ENDPOINTS[key]}`,
  }));
  return new AppError('field_not_writable', `${issues.map(({ message }) => message).join('; ')}.`, {
    issues,
    details: { fields: Object.fromEntries(keys.map(key => [key, CHANGING_ENDPOINTS[key]])) },
  });
}
