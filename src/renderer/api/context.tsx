/** How components reach main. */
import { createContext, useContext } from 'react';
import type { LabClient } from '../../shared/contract/api-client.ts';

const ApiContext = createContext<LabClient | undefined>(undefined);
export const ApiProvider = ApiContext.Provider;

/** The client of this window. Throws where a component stands outside `ApiProvider`: that is a bug. */
export function useApi(): LabClient {
  const api = useContext(ApiContext);
  if (api === undefined) throw new Error('useApi outside ApiProvider');
  return api;
}
