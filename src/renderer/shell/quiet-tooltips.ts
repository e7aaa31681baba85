/** A tooltip goes when its control is pressed, and stays away until the pointer is elsewhere: it would lie over what opens. */
import { useEffect } from 'react';

const controls = 'button, a, input, textarea, [role="button"], [role="tab"]';

export function useQuietTooltips(): void {
  useEffect(() => {
    const { dataset } = document.documentElement;
    let pressed: Element | undefined;
    const onPress = (event: Event): void => {
      const control = event.target instanceof Element ? event.target.closest(controls) : null;
      if (control === null) return;
      pressed = control;
      dataset.pressed = '';
    };
    const onOver = (event: Event): void => {
      if (pressed === undefined) return;
      if (event.target instanceof Node && pressed.contains(event.target)) return;
      pressed = undefined;
      delete dataset.pressed;
    };
    document.addEventListener('pointerdown', onPress, true);
    document.addEventListener('keydown', onPress, true);
    document.addEventListener('pointerover', onOver, true);
    return () => {
      document.removeEventListener('pointerdown', onPress, true);
      document.removeEventListener('keydown', onPress, true);
      document.removeEventListener('pointerover', onOver, true);
      delete dataset.pressed;
    };
  }, []);
}
