// Renders the roles that groups of the identity provider give in teams, and the SCIM token.
import More from 'icon:ellipsis';
import Pencil from 'icon:pencil';
import Plus from 'icon:plus';
import Trash from 'icon:trash-2';
import UsersIcon from 'icon:users';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { GroupMapping } from '../../../../sdk/src/schemas.ts';
import { Button, IconButton } from '../../../kit/button.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { EmptyState } from '../../../kit/empty-state.tsx';
import { Menu, MenuItem } from '../../../kit/menu.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { QueryResult } from '../../../kit/query-result.tsx';
import { type Column, Table, toActionsColumn } from '../../../kit/table.tsx';
import { apiQuery } from '../../../lib/queries.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Introduction, Truncated } from '../section.tsx';
import { changeMappings, isSame } from './change-mappings.ts';
import { GroupDialog } from './group-dialog.tsx';
import styles from './groups.module.css';
import { messages } from './messages.ts';
import { Scim } from './scim.tsx';

interface RowAction {
  readonly kind: 'edit' | 'remove';
  readonly mapping: GroupMapping;
}

export function Groups() {
  const query = useQuery(apiQuery(['/admin/groups']));
  const [isAdding, setAdding] = useState(false);
  const [action, setAction] = useState<RowAction>();
  return (
    <>
      <PageHead title={settingsMessages.parts.groups}>
        <Button variant="primary" icon={Plus} onClick={() => setAdding(true)}>
          {messages.add}
        </Button>
      </PageHead>
      <Introduction>{messages.description}</Introduction>
      <QueryResult query={query}>
        {mappings =>
          mappings.length === 0 ? (
            <EmptyState icon={UsersIcon} title={messages.emptyTitle}>
              {messages.empty}
            </EmptyState>
          ) : (
            <Table
              label={settingsMessages.parts.groups}
              columns={createColumns(setAction)}
              rows={mappings}
              getKey={({ group, teamId }) => `${teamId} ${group}`}
            />
          )
        }
      </QueryResult>
      <div className={styles.scim}>
        <Scim />
      </div>
      {isAdding && <GroupDialog onClose={() => setAdding(false)} />}
      {action?.kind === 'edit' && (
        <GroupDialog mapping={action.mapping} onClose={() => setAction(undefined)} />
      )}
      {action?.kind === 'remove' && (
        <RemoveDialog mapping={action.mapping} onClose={() => setAction(undefined)} />
      )}
    </>
  );
}

const createColumns = (onAction: (action: RowAction) => void): readonly Column<GroupMapping>[] => [
  { title: messages.group, cell: ({ group }) => <Truncated text={group} /> },
  { title: messages.team, cell: ({ teamName }) => <Truncated text={teamName} /> },
  { title: settingsMessages.role, cell: ({ role }) => settingsMessages.roles[role] },
  toActionsColumn(mapping => (
    <Menu trigger={<IconButton icon={More} size="s" label={messages.actionsOf(mapping.group)} />}>
      <MenuItem icon={Pencil} onSelect={() => onAction({ kind: 'edit', mapping })}>
        {messages.edit}
      </MenuItem>
      <MenuItem icon={Trash} isDangerous onSelect={() => onAction({ kind: 'remove', mapping })}>
        {messages.remove}
      </MenuItem>
    </Menu>
  )),
];

function RemoveDialog({
  mapping,
  onClose,
}: {
  readonly mapping: GroupMapping;
  readonly onClose: () => void;
}) {
  const reloadAndToast = useReloadAndToast();
  return (
    <ConfirmDialog
      title={messages.removeTitle(mapping.group, mapping.teamName)}
      action={messages.remove}
      onConfirm={async () => {
        await changeMappings(rows => rows.filter(row => !isSame(row, mapping)));
        await reloadAndToast(messages.removed(mapping.group), ['/admin/groups']);
      }}
      onClose={onClose}
    >
      {messages.removeText}
    </ConfirmDialog>
  );
}
