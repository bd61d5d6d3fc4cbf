// Renders the time of the last backup, a button to download a new backup, and the commands for backup and restore.

import Download from 'icon:download';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Backups } from '../../../../sdk/src/schemas.ts';
import { Button } from '../../../kit/button.tsx';
import { CopyButton } from '../../../kit/copy-button.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { RelativeTime } from '../../../kit/time.tsx';
import { api } from '../../../lib/api.ts';
import { formatBytes } from '../../../lib/format.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { showToast } from '../../../lib/toasts.ts';
import { messages as settingsMessages } from '../messages.ts';
import { DetailList, Introduction, Section } from '../section.tsx';
import styles from './backup.module.css';
import { messages } from './messages.ts';

export function Backup() {
  const backups = useQuery(apiQuery(['/admin/backup']));
  const download = useMutation({
    mutationFn: async () => {
      const { url } = await api.post('/admin/backup');
      startDownload(url);
      showToast(messages.started);
    },
  });
  return (
    <>
      <PageHead title={settingsMessages.parts.backup}>
        <Button
          variant="primary"
          icon={Download}
          isBusy={download.isPending}
          onClick={() => download.mutate()}
        >
          {messages.download}
        </Button>
      </PageHead>
      <Introduction>{messages.description}</Introduction>
      {download.error !== null && <Failure error={download.error} />}
      <QueryResult query={backups}>{data => <BackupDetails backups={data} />}</QueryResult>
      <Section title={messages.commandTitle}>
        <p>{messages.commandText}</p>
        <Command text={messages.command} />
        <p>{messages.restoreText}</p>
        <Command text={messages.restore} />
      </Section>
    </>
  );
}

/** Downloads the file at the URL. The page stays open, because the service sends an attachment. */
function startDownload(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}

function BackupDetails({
  backups: { last: lastBackup, databaseBytes, mediaBytes },
}: {
  readonly backups: Backups;
}) {
  return (
    <>
      <Section title={messages.lastBackup}>
        {lastBackup === null ? (
          <p>{messages.never}</p>
        ) : (
          <DetailList
            details={[
              [messages.createdAt, <RelativeTime key="when" time={lastBackup.createdAt} />],
              [messages.createdBy, messages.madeBy[lastBackup.madeBy]],
              [messages.database, formatBytes(lastBackup.databaseBytes)],
              [messages.media, messages.files(lastBackup.media.files, lastBackup.media.bytes)],
            ]}
          />
        )}
      </Section>
      <Section title={messages.downloadTitle}>
        <p>{messages.size(formatBytes(databaseBytes), formatBytes(mediaBytes))}</p>
        <p>{messages.keyHint}</p>
      </Section>
    </>
  );
}

function Command({ text }: { readonly text: string }) {
  return (
    <p className={styles.command}>
      <code>{text}</code>
      <CopyButton text={text} label={messages.copy} />
    </p>
  );
}
