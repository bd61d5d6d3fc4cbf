// Renders the page that asks users to confirm their identity before they give an application access, and then returns.
import { useQuery } from '@tanstack/react-query';
import { useSearch } from 'wouter';
import { AuthLayout } from '../../frame/auth-layout.tsx';
import { ConfirmationForms } from '../../frame/confirmation-forms.tsx';
import { QueryResult } from '../../kit/query-result.tsx';
import { api } from '../../lib/api.ts';
import { getNextPath } from '../../lib/session.ts';
import { messages } from '../../messages.ts';

export function Page() {
  const nextPath = getNextPath(useSearch());
  const options = useQuery({
    queryKey: ['confirmation options'],
    queryFn: () => api.post('/auth/reauthenticate/options'),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <AuthLayout title={messages.reauthentication.title} description={messages.reauthentication.description}>
      <QueryResult query={options}>
        {({ methods }) => (
          <ConfirmationForms methods={methods} onConfirmed={() => location.replace(nextPath)} />
        )}
      </QueryResult>
    </AuthLayout>
  );
}
