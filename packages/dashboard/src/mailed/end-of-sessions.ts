import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { forgetSession } from '../session/session.js';

/** Whether the link of the mail was used, which ends every session, this browser's too. */
export function useEndOfSessions() {
  const queries = useQueryClient();
  const [done, setDone] = useState(false);
  const end = () => {
    forgetSession(queries);
    setDone(true);
  };
  return { done, end };
}
