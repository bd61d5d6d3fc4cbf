// Represents an error response of a bucket, with a remedy if its code has one.

/** By S3 code. Each is permanent: repeating the request changes nothing. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  InvalidAccessKeyId:
    'it knows no key of this id: correct AWS_ACCESS_KEY_ID, and S3_ENDPOINT if that is another store',
  SignatureDoesNotMatch: 'the secret does not belong to the key: correct AWS_SECRET_ACCESS_KEY',
  NoSuchBucket: 'there is no bucket of this name: make it, or correct S3_BUCKET',
  PermanentRedirect: 'it is in another region: set S3_REGION to that region',
  AuthorizationHeaderMalformed: 'it is in another region: set S3_REGION to that region',
  RequestTimeTooSkewed:
    'the clock of this machine is more than a quarter of an hour off: set it, by NTP best',
};
const ACCESS_DENIED =
  'the key may not do that: allow it s3:GetObject, s3:PutObject and s3:DeleteObject on the bucket';
const MAX_CHARS = 300;

export class BucketError extends Error {
  override readonly name = 'BucketError';
  readonly status: number;
  /** S3's code, such as `NoSuchKey`; undefined if the response names none. */
  readonly code: string | undefined;

  constructor(bucket: string, status: number, text: string) {
    const code = /<Code>(\w{1,60})<\/Code>/.exec(text)?.[1];
    super(
      `The bucket ${bucket} answered ${status}${code === undefined ? '' : ` ${code}`}: ${adviceOf(code, text)}.`,
    );
    this.status = status;
    this.code = code;
  }

  /** The file does not exist. (A missing bucket is a different error.) */
  get isAbsent(): boolean {
    return this.status === 404 && this.code !== 'NoSuchBucket';
  }

  /** No request can succeed until someone changes the configuration. */
  get isCertain(): boolean {
    return this.code !== undefined && this.code in WAYS_OUT;
  }
}

function adviceOf(code: string | undefined, text: string): string {
  if (code === 'AccessDenied') return ACCESS_DENIED;
  const advice = WAYS_OUT[code ?? ''] ?? /<Message>([^<]*)<\/Message>/.exec(text)?.[1] ?? text;
  return advice.slice(0, MAX_CHARS).replace(/\.$/, '') || 'it says no more';
}
