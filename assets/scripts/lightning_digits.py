"""The digits of digits_ddp.py with Lightning, which finds the ranks and their addresses in the environment.

    pip install lightning tensorboardX
"""

import argparse

import lightning
import torch
from digits_ddp import Digits, network
from torch.utils.data import DataLoader


class Classifier(lightning.LightningModule):
    def __init__(self, lr: float) -> None:
        super().__init__()
        self.lr = lr
        self.model = network()

    def training_step(self, batch, _):
        images, labels = batch
        loss = torch.nn.functional.cross_entropy(self.model(images), labels)
        self.log("train/loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, _):
        images, labels = batch
        correct = (self.model(images).argmax(1) == labels).float().mean()
        self.log("val/accuracy", 100 * correct, prog_bar=True, sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), self.lr, momentum=0.9)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--train", type=int, default=2000, help="images")
    parser.add_argument("--nodes", type=int, default=1, help="machines")
    parser.add_argument("--devices", type=int, default=1, help="processes on each")
    args = parser.parse_args()
    lightning.seed_everything(1)
    trainer = lightning.Trainer(
        max_epochs=args.epochs,
        num_nodes=args.nodes,
        devices=args.devices,
        accelerator="auto",
        strategy="ddp" if args.nodes * args.devices > 1 else "auto",
        log_every_n_steps=5,
    )
    train, validation = Digits(args.train, 1), Digits(max(10, args.train // 5), 2)
    trainer.fit(Classifier(args.lr), DataLoader(train, 32, shuffle=True), DataLoader(validation, 32))


if __name__ == "__main__":
    main()
