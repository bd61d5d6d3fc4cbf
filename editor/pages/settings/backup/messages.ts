// Defines the messages of the backup page.
import { formatBytes, formatNumber } from '../../../lib/format.ts';

export const messages = {
  description:
    'A backup is one file with the database and all media. The service keeps running while it is made.',
  lastBackup: 'Last backup',
  never: 'No backup was made yet.',
  madeBy: { 'command line': 'Command line', download: 'Download' },
  createdAt: 'Created',
  createdBy: 'Created with',
  database: 'Database',
  media: 'Media',
  files: (files: number, bytes: number): string => `${formatNumber(files)} files, ${formatBytes(bytes)}`,
  download: 'Download backup',
  downloadTitle: 'Download a backup',
  size: (database: string, media: string): string =>
    `The database takes ${database} on disk and media take ${media}. The file is about that large or smaller.`,
  started: 'The download has started. Keep this browser open until it has finished.',
  keyHint:
    'The file does not include the secrets key, without which stored secrets cannot be read. Keep SECRETS_KEY, or secrets.key in DATA_DIR, in another place.',
  commandTitle: 'On the command line',
  commandText: 'For a schedule, or a backup that includes the secrets key, run this on the server:',
  command: 'graphwright backup graphwright.tar',
  restoreText: 'To restore, stop the service and run:',
  restore: 'graphwright restore graphwright.tar',
  copy: 'Copy command',
} as const;
