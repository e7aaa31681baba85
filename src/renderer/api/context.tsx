/** Gives components the client that sends requests to main. */
import { createContext, useContext } from 'react';
import type { LabClient } from '../../shared/contract/api-client.ts';

const ApiContext = createContext<LabClient | undefined>(undefined);
export const ApiProvider = ApiContext.Provider;

/** The client of this window. Throws outside of `ApiProvider`, which is a programming error. */
export function useApi(): LabClient {
  const api = useContext(ApiContext);
  if (api === undefined) throw new Error('useApi outside ApiProvider');
  return api;
}
