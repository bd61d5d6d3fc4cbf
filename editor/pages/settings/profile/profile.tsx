// Renders the user's profile.
import { useState } from 'react';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { CopyButton } from '../../../kit/copy-button.tsx';
import { NameDialog } from '../../../kit/name-dialog.tsx';
import { PageHead } from '../../../kit/page-head.tsx';
import { api } from '../../../lib/api.ts';
import { useReloadAndToast } from '../../../lib/reload-and-toast.ts';
import { useSession } from '../../../lib/session.ts';
import { messages as settingsMessages } from '../messages.ts';
import { Badges, Day, DetailList, Introduction } from '../section.tsx';

const messages = {
  description: 'Your account. An administrator can change your email and plan.',
  rename: 'Change name',
  renamed: 'Your name was changed.',
  id: 'User ID',
  plan: 'Plan',
  rights: 'Role',
  admin: 'Administrator',
  author: 'Author',
  member: 'User',
  workspace: 'Active workspace',
  personal: 'Personal workspace ID',
  copyId: 'Copy workspace ID',
  ends: 'Session expires',
} as const;

export function Profile() {
  const { user, plan, workspace, expiresAt } = useSession();
  const [isRenaming, setRenaming] = useState(false);
  const reloadAndToast = useReloadAndToast();
  return (
    <>
      <PageHead title={settingsMessages.parts.profile}>
        <Button onClick={() => setRenaming(true)}>{messages.rename}</Button>
      </PageHead>
      <Introduction>{messages.description}</Introduction>
      <DetailList
        details={[
          [settingsMessages.name, user.name],
          [settingsMessages.email, user.email],
          [messages.plan, settingsMessages.planName(plan)],
          [
            messages.rights,
            <Badges key="rights">
              {user.isAdmin && <Badge tone="accent">{messages.admin}</Badge>}
              {user.isAuthor && <Badge tone="accent">{messages.author}</Badge>}
              {!user.isAdmin && !user.isAuthor && <Badge>{messages.member}</Badge>}
            </Badges>,
          ],
          [messages.workspace, workspace.name],
          [messages.ends, <Day key="ends" time={expiresAt} />],
        ]}
      />
      <DetailList
        details={[
          [messages.id, <code key="id">{user.userId}</code>],
          [
            messages.personal,
            <Badges key="personal">
              <code>{user.personalTeamId}</code>
              <CopyButton text={user.personalTeamId} label={messages.copyId} />
            </Badges>,
          ],
        ]}
      />
      {isRenaming && (
        <NameDialog
          title={messages.rename}
          name={user.name}
          onSubmit={async name => {
            await api.patch('/me', { name });
            await reloadAndToast(messages.renamed, ['session', '/admin/users', '/teams']);
          }}
          onClose={() => setRenaming(false)}
        />
      )}
    </>
  );
}
