// Formats dates for pages, in UTC.

const READABLE = new Intl.DateTimeFormat('en', {
  year: 'numeric',
  month: 'long',
  day: 'numeric',
  timeZone: 'UTC',
});

export function formatDate(timestamp: string): string {
  return READABLE.format(new Date(timestamp));
}
