// The values that settings take: how the text of each kind is read, and the sentence that says what is allowed.
import { isIP } from 'node:net';
import { isRecord } from './record.ts';

export const text = (fallback: string) => (value: string | undefined) => value ?? fallback;
export const optional = (value: string | undefined): string | undefined => value;

export const integer = (fallback: number, min: number, max: number) => (value: string | undefined) => {
  if (value === undefined) return fallback;
  const parsed = Number(value);
  if (!Number.isInteger(parsed) || parsed < min || parsed > max)
    throw new Error(`must be a whole number from ${min} to ${max}`);
  return parsed;
};

/** undefined where it is unset. */
export const optionalInteger = (min: number, max: number) => (value: string | undefined) =>
  value === undefined ? undefined : integer(min, min, max)(value);

/** From 0 to 1. */
export const share = (value = '1'): number => {
  const parsed = Number(value);
  if (value.trim() !== '' && parsed >= 0 && parsed <= 1) return parsed;
  throw new Error('must be a number from 0 to 1');
};

export const flag = (fallback: boolean) => (value: string | undefined) => {
  if (value === undefined) return fallback;
  if (value !== 'true' && value !== 'false') throw new Error('must be true or false');
  return value === 'true';
};

export const oneOf =
  <const V extends readonly [string, ...string[]]>(values: V) =>
  (value: string | undefined): V[number] => {
    const found = values.find(candidate => candidate === (value ?? values[0]));
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}`);
    return found;
  };

export const httpUrl = (fallback?: string) => (value: string | undefined) => {
  const given = value ?? fallback;
  if (given === undefined) return undefined;
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error('must be an http or https URL');
  if (url.search !== '' || url.hash !== '') throw new Error('must be a URL without query and fragment');
  return given.replace(/\/+$/, '');
};

/** As given: a slash at its end is part of an issuer's name. */
export const issuer = (value: string | undefined): string | undefined =>
  httpUrl()(value) === undefined ? undefined : value;

export const domains = (value: string | undefined): readonly string[] => {
  const names = (value ?? '')
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '');
  if (names.every(name => /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(name))) return names;
  throw new Error('must be domains such as example.com, with commas');
};

export const databaseUrl = (value: string | undefined): string | undefined => {
  if (value !== undefined && !/^postgres(ql)?:\/\//.test(value))
    throw new Error('must begin with postgres:// or postgresql://');
  return value;
};

export const apiKey = (value: string | undefined): string | undefined => {
  if (value !== undefined && !/^sk-[\x21-\x7e]{16,200}$/.test(value))
    throw new Error('must be sk- and at least 16 printable characters');
  return value;
};

export const hexKey = (value: string | undefined): string | undefined => {
  if (value !== undefined && !/^[0-9a-f]{64}$/i.test(value))
    throw new Error('must be 64 hex digits (openssl rand -hex 32)');
  return value;
};

export const proxies = (value: string | undefined): boolean | string => {
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  const isRange = (part: string): boolean => {
    const [address = '', bits, ...more] = part.trim().split('/');
    const width = { 4: 32, 6: 128 }[isIP(address)] ?? -1;
    return (
      more.length === 0 &&
      width > 0 &&
      (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= width))
    );
  };
  if (!value.split(',').every(isRange))
    throw new Error('must be true, false, or IP addresses and ranges such as 10.0.0.0/8, with commas');
  return value;
};

const CALLED = ['fal', 'replicate', 'openai', 'elevenlabs', 'comfyui'] as const;

export const callsAtOnce = (text = '{}'): Readonly<Partial<Record<(typeof CALLED)[number], number>>> => {
  const isCount = ([name, count]: readonly [string, unknown]): boolean =>
    CALLED.some(called => called === name) && integer(0, 1, 1_000_000)(String(count)) === count;
  const wanted = `must be JSON, whole numbers from 1 to 1000000 by ${CALLED.join(', ')}: {"fal": 40}`;
  try {
    const given: unknown = JSON.parse(text);
    if (isRecord(given) && Object.entries(given).every(isCount)) return given;
  } catch (err) {
    throw new Error(wanted, { cause: err });
  }
  throw new Error(wanted);
};
