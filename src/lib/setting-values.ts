// Parses the values of settings. Each parser throws an error whose message says what is allowed.
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { isRecord } from './record.ts';

export const text = (value: string): string => value;
export const toPath = (value: string): string => resolve(value);

export const integer = (min: number, max: number) => (value: string) => {
  const parsed = Number(value);
  if (!Number.isInteger(parsed) || parsed < min || parsed > max)
    throw new Error(`must be an integer from ${min} to ${max}`);
  return parsed;
};

/** Parses a number from 0 to 1. */
export const fraction = (value: string): number => {
  const parsed = Number(value);
  if (value.trim() !== '' && parsed >= 0 && parsed <= 1) return parsed;
  throw new Error('must be a number from 0 to 1');
};

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'on', 'yes', '1'].map(text => [text, true] as const),
  ...['false', 'off', 'no', '0'].map(text => [text, false] as const),
]);

export const flag = (value: string): boolean => {
  const isOn = FLAGS.get(value.toLowerCase());
  if (isOn === undefined) throw new Error('must be true or false (or on or off, yes or no, 1 or 0)');
  return isOn;
};

export const oneOf =
  <const V extends readonly [string, ...string[]]>(values: V) =>
  (value: string): V[number] => {
    const match = values.find(candidate => candidate === value);
    if (match === undefined) throw new Error(`must be one of ${values.join(', ')}`);
    return match;
  };

export const httpUrl = (value: string): string => {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error('must be an http or https URL');
  if (url.search !== '' || url.hash !== '') throw new Error('must be a URL without a query or fragment');
  return value.replace(/\/+$/, '');
};

const MAX_URLS = 50;

/** Parses URLs separated by commas. */
export const httpUrls = (value: string): readonly string[] => {
  const urls = [...new Set(nameList(value).map(httpUrl))];
  if (urls.length === 0) throw new Error('must be an http or https URL, or several separated by commas');
  if (urls.length > MAX_URLS) throw new Error(`must have at most ${MAX_URLS} URLs`);
  return urls;
};

/** Parses the URL of a mail server. Characters such as @ in its user or password are percent-encoded. */
export const smtpUrl = (value: string): string => {
  const url = URL.parse(value);
  if (url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '' && url.hash === '') return value;
  throw new Error('must be a URL such as smtp://user:password@smtp.example.com:587 or smtps://…:465');
};

/** Parses an email address, alone or after a name. */
export const mailFrom = (value: string): string => {
  if (
    /^(?:[^<>\p{Cc}]*<)?[^\s@<>,;\p{Cc}]+@[^\s@<>,;\p{Cc}]+>?$/u.test(value) &&
    value.includes('<') === value.endsWith('>')
  )
    return value;
  throw new Error('must be an address such as Graphwright <graphwright@example.com>');
};

/** Parses an issuer URL. Keeps a trailing slash, which is part of an issuer's name. */
export const issuer = (value: string): string => {
  httpUrl(value);
  return value;
};

export const domainList = (value: string): readonly string[] => {
  const parsed = nameList(value.toLowerCase());
  if (parsed.every(name => /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(name))) return parsed;
  throw new Error('must be comma-separated domains such as example.com');
};

export const databaseUrl = (value: string): string => {
  if (!/^postgres(ql)?:\/\//.test(value)) throw new Error('must start with postgres:// or postgresql://');
  const target = /[?&]target_session_attrs=(?<target>[^&]*)/.exec(value)?.groups?.target ?? 'read-write';
  if (!['read-write', 'primary'].includes(target))
    throw new Error(
      'must not have a target_session_attrs other than read-write, because only a primary can be used',
    );
  return value;
};

export const apiKey = (value: string): string => {
  if (!/^sk-[\x21-\x7e]{16,200}$/.test(value))
    throw new Error('must be sk- followed by at least 16 printable characters');
  return value;
};

export const hexKey = (value: string): string => {
  if (!/^[0-9a-f]{64}$/i.test(value)) throw new Error('must be 64 hex digits (openssl rand -hex 32)');
  return value;
};

export const trustedProxies = (value: string): boolean | string => {
  if (value === 'false' || value === 'true') return value === 'true';
  const isRange = (part: string): boolean => {
    const [address = '', bits, ...surplus] = part.trim().split('/');
    const width = { 4: 32, 6: 128 }[isIP(address)] ?? -1;
    return (
      surplus.length === 0 &&
      width > 0 &&
      (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= width))
    );
  };
  if (!value.split(',').every(isRange))
    throw new Error('must be true, false, or comma-separated IP addresses and ranges such as 10.0.0.0/8');
  return value;
};

/** The name of a server that speaks OpenAI's protocol. */
export const SERVER_NAME = /^[a-z0-9-]{1,32}$/;

export interface NamedServer {
  readonly name: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
}

const MAX_SERVERS = 50;

/** Parses names and addresses of servers such as `ollama=http://127.0.0.1:11434/v1`, separated by commas. */
export const openAiServers = (value: string): readonly NamedServer[] => {
  const servers = nameList(value).map(parseServer);
  const repeated = servers.find(({ name }, index) => servers.findIndex(other => other.name === name) < index);
  if (repeated !== undefined) throw new Error(`must not name ${repeated.name} twice`);
  if (servers.length > MAX_SERVERS) throw new Error(`must name at most ${MAX_SERVERS} servers`);
  return servers;
};

function parseServer(part: string): NamedServer {
  const [name = '', ...rest] = part.split('=');
  const address = rest.join('=').trim();
  const url = URL.parse(address);
  if (!SERVER_NAME.test(name.trim()))
    throw new Error(
      'must be names of at most 32 letters (a to z), digits and hyphens, each with an address, such as ollama=http://127.0.0.1:11434/v1',
    );
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username + url.password + url.search + url.hash !== ''
  )
    throw new Error(
      `must give ${name.trim()} an http or https address without a user name, password, query or fragment, such as http://127.0.0.1:11434/v1`,
    );
  return { name: name.trim(), baseUrl: url.href.replace(/\/+$/, '') };
}

const PROVIDERS = ['fal', 'replicate', 'openai', 'elevenlabs', 'comfyui'] as const;

export const providerConcurrency = (
  text: string,
): Readonly<Partial<Record<(typeof PROVIDERS)[number], number>>> => {
  const isCount = ([name, count]: readonly [string, unknown]): boolean =>
    PROVIDERS.some(provider => provider === name) && integer(1, 1_000_000)(String(count)) === count;
  const requirement = `must be JSON with whole numbers from 1 to 1000000 for ${PROVIDERS.join(', ')}, such as {"fal": 40}`;
  try {
    const parsed: unknown = JSON.parse(text);
    if (isRecord(parsed) && Object.entries(parsed).every(isCount)) return parsed;
  } catch (err) {
    throw new Error(requirement, { cause: err });
  }
  throw new Error(requirement);
};

/** Parses names separated by commas. */
export const nameList = (value: string): readonly string[] =>
  value
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '');
