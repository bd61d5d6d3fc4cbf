// Removes private data from a public value: at any depth, every key whose name denotes a secret, and account data.

/** Keys that are private without being secrets. */
const PRIVATE_NAMES = ['webhookUrl', 'dailyCreditBudget', 'executionEngine', 'assignees'];

/** Words that denote a secret anywhere in a name, including joined forms such as `apikey` and `mypassword`. */
const SECRET_WORD = new RegExp(
  [
    '^secrets?$|(?:client|app|api|shared|webhook|signing|consumer|my)secrets?$|^secret(?:key|access|token|value)',
    'passw(?:or)?ds?$|^passw(?:or)?d|^(?:pwd|passphrase|passcode)s?$',
    '^(?:credentials?|creds|authorization|bearer|jwt|cookies?)$',
    'apikeys?(?:id)?$|^(?:access|private|auth|encryption|signing|client|service|session|license|ssh|master)keys?(?:id)?$',
    'apitokens?$|^(?:access|auth|bearer|refresh|session|id|csrf|xsrf|oauth|my|user|bot|github|gh)tokens?$',
  ].join('|'),
);

/** Words that denote a secret depending on their position: `falKey` does, `keyFrame` and `maxTokens` do not. */
const KEY_WORDS = new Set(['key', 'keys', 'token', 'tokens', 'pass', 'auth']);

/** A key word after one of these words is a secret even if more words follow: `accessKeyId`, `api_key_2_old`. */
const KEY_PREFIXES = new Set(
  'access account api app auth aws azure bearer bot client csrf deploy encryption fal github google hf id jwt license licence master oauth openai personal private refresh secret service session signing ssh user webhook xsrf'.split(
    ' ',
  ),
);

/** A key word at the end is harmless after one of these words: `sortKey`, `max_tokens`, `chroma-key`, `noAuth`. */
const HARMLESS_PREFIXES = new Set(
  'all arrow band cache cached chroma color colour completion composite count data design eos bos first foreign group high hot idempotency image index input json locale low luma map mask max min modifier multi music musical new no num number object of output pad partition per primary prompt public reasoning render requires second shortcut single song sort special stop style text total translation trigger two unique video word'.split(
    ' ',
  ),
);

/** Words that may follow a key word without making it harmless: `tokenHash`, `key_pem`. */
const KEY_SUFFIXES = new Set(['hash', 'pem', 'string', 'material']);

// The last of several capitals begins the next word: `APIKey` is API and Key.
const WORDS_OF_NAME = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;

/** Returns a copy without private keys; `value` is JSON of bounded depth, as parseGraph returns it. */
export function redact(value: unknown): unknown {
  // A large graph has few distinct names, each thousands of times.
  const verdicts = new Map<string, boolean>(PRIVATE_NAMES.map(name => [name, true]));
  const isPrivate = (name: string): boolean => {
    const verdict = verdicts.get(name) ?? isSecretName(name);
    verdicts.set(name, verdict);
    return verdict;
  };
  return copyWithout(value, isPrivate);
}

function copyWithout(value: unknown, isPrivate: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map(member => copyWithout(member, isPrivate));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isPrivate(name))
      .map(([name, member]) => [name, copyWithout(member, isPrivate)]),
  );
}

/**
 * Returns whether a key's name denotes a secret, token, key or password. Returns true in case of doubt, because
 * removing too much is safer.
 */
export function isSecretName(name: string): boolean {
  const normalized = name.normalize('NFKC').replace(/pass[-_ ]?word/i, 'password');
  const words = (normalized.match(WORDS_OF_NAME) ?? []).map(word => word.toLowerCase());
  // A bare `keys` names the members of an object, as in utility:json_build.
  if (words.length === 1 && words[0] === 'keys') return false;
  return words.some((word, index) => {
    if (SECRET_WORD.test(word)) return true;
    if (!KEY_WORDS.has(word)) return false;
    const previous = words[index - 1] ?? '';
    if (KEY_PREFIXES.has(previous)) return true;
    const next = words[index + 1];
    return (next === undefined || KEY_SUFFIXES.has(next)) && !HARMLESS_PREFIXES.has(previous);
  });
}
