// Renders how the user receives notices of each kind: in the menu of the bell, by mail, both, or not at all.
import { useMutation, useQuery } from '@tanstack/react-query';
import type { NoticeSettings } from '../../../../sdk/src/schemas.ts';
import { Failure } from '../../../kit/failure.tsx';
import fieldStyles from '../../../kit/field.module.css';
import { renderOptions } from '../../../kit/field.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { Table } from '../../../kit/table.tsx';
import { api } from '../../../lib/api.ts';
import { apiQuery } from '../../../lib/queries.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Introduction, SecondaryText } from '../section.tsx';
import { KINDS, messages } from './messages.ts';
import styles from './notices.module.css';

type Kind = keyof NoticeSettings;

export function Notices() {
  const settings = useQuery(apiQuery(['/notices/settings']));
  const { data: methods } = useQuery(apiQuery(['/auth/methods']));
  return (
    <>
      <PageHead title={settingsMessages.parts.notices} />
      <Introduction>{messages.description}</Introduction>
      {methods?.mail === false && <Introduction>{messages.noMail}</Introduction>}
      <QueryResult query={settings}>{chosen => <KindTable settings={chosen} />}</QueryResult>
    </>
  );
}

function KindTable({ settings }: { readonly settings: NoticeSettings }) {
  const reloadAndToast = useReloadAndToast();
  const change = useMutation({
    mutationFn: (changed: Partial<NoticeSettings>) =>
      api.put('/notices/settings', { ...settings, ...changed }),
    onSuccess: () => reloadAndToast(messages.saved, ['/notices/settings']),
  });
  const shown: NoticeSettings = { ...settings, ...(change.isPending ? change.variables : {}) };
  return (
    <>
      {change.error && <Failure error={change.error} />}
      <Table
        label={settingsMessages.parts.notices}
        rows={Object.keys(settings) as Kind[]}
        getKey={kind => kind}
        columns={[
          {
            title: messages.about,
            cell: kind => (
              <span className={styles.kind}>
                {KINDS[kind].name}
                <SecondaryText>{KINDS[kind].hint}</SecondaryText>
              </span>
            ),
          },
          {
            title: messages.delivery,
            cell: kind => (
              <select
                className={fieldStyles.inRow}
                aria-label={KINDS[kind].name}
                value={shown[kind]}
                onChange={({ target }) => change.mutate({ [kind]: target.value })}
              >
                {renderOptions(KINDS[kind].isSecurity ? messages.securityDeliveries : messages.deliveries)}
              </select>
            ),
          },
        ]}
      />
    </>
  );
}
