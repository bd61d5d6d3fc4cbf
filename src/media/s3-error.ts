// Defines error responses in S3's format, for the service's own presigned upload URL.

/** The HTTP status of each code. */
const S3_STATUSES = {
  AccessDenied: 403,
  AuthorizationQueryParametersError: 400,
  EntityTooLarge: 400,
  IncompleteBody: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidRequest: 400,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  NoSuchKey: 404,
  SignatureDoesNotMatch: 403,
} as const;

export type S3ErrorCode = keyof typeof S3_STATUSES;

export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly code: S3ErrorCode;
  readonly status: number;

  constructor(code: S3ErrorCode, message: string) {
    super(message);
    this.code = code;
    this.status = S3_STATUSES[code];
  }
}

/** Returns the body of an error response, which is sent as application/xml. */
export function renderS3Error({ code, message }: S3Error, resource: string, requestId: string): string {
  const members = { Code: code, Message: message, Resource: resource, RequestId: requestId };
  const printed = Object.entries(members).map(([name, text]) => `<${name}>${escapeXml(text)}</${name}>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${printed.join('')}</Error>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

// XML 1.0 cannot represent control characters at all.
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\x20-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"']/g, char => ESCAPES[char] ?? '');
}
