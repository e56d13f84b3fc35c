const OFF = 'junction.letter-keys-off';

/** Whether keys without Ctrl do something: who speaks to the computer turns them off (WCAG 2.2, 2.1.4). */
export const hasLetterKeys = (): boolean => localStorage.getItem(OFF) === null;

export function setLetterKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, 'yes');
}
