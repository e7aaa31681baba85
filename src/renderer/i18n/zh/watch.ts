/** Texts of limits that the user is notified of, in Chinese. */
import type { watch as english } from '../en/watch.ts';
import type { Words } from '../../../shared/i18n/words.ts';

export const watch: Words<typeof english> = {
  title: '达到限值时通知我…',
  text: '在窗口中提示，允许时也发送桌面通知，并在图表中标记。每个运行通知一次，正在进行的运行同样适用。',
  value: '数值',
  passes: '条件',
  above: '达到或高于',
  below: '达到或低于',
  limit: '限值',
  scalar: '标量名称',
  noNumber: '请输入数字',
  add: '添加',
  remove: '取消：{{watch}}',
  passed: '{{name}}：达到限值',
  of: {
    top1: '验证 Top-1',
    validationLoss: '验证损失',
    loss: '单步损失',
    temperature: 'GPU 温度',
    scalar: '脚本的标量',
  },
};
