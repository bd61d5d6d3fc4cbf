// Represents an error response of a bucket, with a remedy if its code has one.

/** Remedies by S3 error code. These errors are permanent, so the request is not repeated. */
const REMEDIES: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'the key id is unknown: check AWS_ACCESS_KEY_ID and S3_ENDPOINT',
  SignatureDoesNotMatch: 'the secret does not match the key: check AWS_SECRET_ACCESS_KEY',
  NoSuchBucket: 'the bucket does not exist: create it, or check S3_BUCKET',
  PermanentRedirect: 'it is in another region: set S3_REGION to that region',
  AuthorizationHeaderMalformed: 'it is in another region: set S3_REGION to that region',
  RequestTimeTooSkewed:
    'the clock of this machine is more than 15 minutes off: synchronize it, for example with NTP',
};
const ACCESS_DENIED =
  'the key lacks a permission: grant it s3:GetObject, s3:PutObject and s3:DeleteObject on the bucket';
const MAX_CHARS = 300;

export class BucketError extends Error {
  override readonly name = 'BucketError';
  readonly status: number;
  /** S3's error code, such as `NoSuchKey`, or undefined if the response has none. */
  readonly code: string | undefined;

  constructor(bucket: string, status: number, text: string) {
    const code = /<Code>(\w{1,60})<\/Code>/.exec(text)?.[1];
    super(
      `The bucket ${bucket} responded with ${status}${code === undefined ? '' : ` ${code}`}: ${getAdvice(code, text)}.`,
    );
    this.status = status;
    this.code = code;
  }

  /** Whether the file does not exist. A missing bucket is a different error. */
  get isAbsent(): boolean {
    return this.status === 404 && this.code !== 'NoSuchBucket';
  }

  /** Whether no request can succeed until someone changes the configuration. */
  get isPermanent(): boolean {
    return this.code !== undefined && this.code in REMEDIES;
  }
}

function getAdvice(code: string | undefined, text: string): string {
  if (code === 'AccessDenied') return ACCESS_DENIED;
  const advice = REMEDIES[code ?? ''] ?? /<Message>([^<]*)<\/Message>/.exec(text)?.[1] ?? text;
  return advice.slice(0, MAX_CHARS).replace(/\.$/, '') || 'no further details';
}
